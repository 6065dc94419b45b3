"""Guarantees: what an answer promises, by rule and measure, and what changes cost."""
