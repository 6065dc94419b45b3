"""Answering: questions in, words and counts out, for whoever answers."""
