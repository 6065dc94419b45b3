"""Data at rest: Redis keys, scripts and the walls between them."""
