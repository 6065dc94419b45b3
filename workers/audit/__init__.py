"""The store held to its audit trail: by the curator that writes it, by an operator.

``log`` is the curator's side: what is charged and shown is in the trail first.
``restorer`` compares a store with its trail and brings it back to it.
"""
