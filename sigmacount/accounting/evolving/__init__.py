"""Evolving: what the epochs of a changing database show, cost and promise.

``rules`` says it by rule, for the noise that ``showing`` names; ``surcharge`` prices
noise shown again (Theorem 5), ``headroom`` what a ledger would still grant.
"""
