"""Schemas by number: from a registry, or from files where there is none."""
