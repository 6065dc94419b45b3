"""Dead letters: records that mean nothing, kept with a reason, and read back."""
