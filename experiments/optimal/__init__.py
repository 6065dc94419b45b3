"""Optimal releases: what joint plans err, measured, beside other uses of one ε."""
