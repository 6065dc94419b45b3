"""Releases in Redis: noise that is kept, epochs that are served, plans asked for."""
