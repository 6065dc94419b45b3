"""Sending: answers on their way, one for each question, to where they may go."""
