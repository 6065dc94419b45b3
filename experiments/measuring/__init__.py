"""Measuring: drawn questions over data, and the error that a strategy makes on them."""
