"""Data in motion: topics, messages, codecs and batch consumers."""
