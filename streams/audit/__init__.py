"""The audit trail: the topic ``ledger``, appended to, read in order and added up.

It holds what was charged, bound and shown, so that a store that went back is noticed.
"""
