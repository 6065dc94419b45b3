"""`sigma migrate-keys` and what it does: look, refuse, fence, rename."""
