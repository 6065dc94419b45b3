"""What each page is made of: an act for each address, which gathers and shows."""
