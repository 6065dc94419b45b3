"""Quantiles: how far a sum of draws reaches, a file for each law of noise."""
