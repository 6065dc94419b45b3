"""The census of the demo: where it comes from, and how its rows change and travel."""
