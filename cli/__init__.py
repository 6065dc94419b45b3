"""The front door: `sigma`."""
