"""The outcome of the demo: its figures, its errors, and what a person is shown."""
