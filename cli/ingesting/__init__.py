"""Ingesting: the rows of a file, named and typed, on their way into the rows topic."""
