"""Epochs: snapshots of the truth, one by one charged, noised, released."""
