"""`sigma demo`: the whole service at work on a census, checked against the truth."""
