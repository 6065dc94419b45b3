"""What an analyst holds: ask for a count, get a private answer."""
