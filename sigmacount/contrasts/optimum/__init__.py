"""Optimum: the noise that serves a log best, its error, and what nothing can beat."""
