"""`sigma dead-letters`: list what was refused, and send it once more."""
