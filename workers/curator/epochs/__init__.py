"""Epochs: snapshots of the truth, one by one charged, noised and released.

``clock`` and ``loading_gate`` say when there is a next one, ``snapshot`` what it
counts, ``release`` what is charged, drawn, stored and published for it, in this order.
"""
