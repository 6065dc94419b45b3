"""`sigma dead-letters`: refused records, listed and sent once more."""
