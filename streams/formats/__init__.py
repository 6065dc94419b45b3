"""Formats: how producers spell row events, and which partition a row is in."""
