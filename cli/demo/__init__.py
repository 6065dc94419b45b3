"""The whole city in one command: `sigma demo`."""
