"""Continual counts: what noise over time errs, hides and costs, beside its rivals."""
