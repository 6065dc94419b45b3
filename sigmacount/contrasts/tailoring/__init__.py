"""Tailoring: strategies that fit what a log asks of each attribute set."""
