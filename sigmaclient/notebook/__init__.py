"""Answers in a notebook: frames, bars and HTML; libraries are imported on use."""
