"""Marginals: which overlapping tables to measure with Laplace noise, and at which ε."""
