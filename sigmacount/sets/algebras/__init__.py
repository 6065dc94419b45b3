"""Algebras: what queries have in common: their atoms, bounds, sums and weights."""
