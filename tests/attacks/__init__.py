"""Attacks: what somebody tries who wants more than was promised.

Each says what the attacker sees, when the attack counts as won, and how often the test
errs either way. Those that win on purpose are asserted to win, and named in
docs/limits.md. `make attacks` runs them all and prints one line of figures for each.
"""
