"""`sigma ask` and `sigma watch`: a question answered, and answers as they come."""
