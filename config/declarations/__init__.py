"""Declarations: what a TOML file says of a dataset, and all its faults at once."""
