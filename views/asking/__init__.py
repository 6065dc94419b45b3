"""What an analyst is shown: answers, their tables, what may be asked, what stands."""
