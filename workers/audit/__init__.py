"""The audit trail, as its curator writes it and whoever compares a store reads it.

``log`` is the curator's side: what is charged and shown is in the trail first.
``commitments`` finds noise that is not what the trail says was shown.
"""
