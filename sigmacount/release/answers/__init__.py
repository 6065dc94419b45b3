"""Answers: what one epoch says of a query, from its groups, in one order over all.

``router`` finds the group, ``answerer`` and ``ordered`` the count, ``estimates`` how
far it may be off; ``tables`` and ``arrangement`` are the rows of a GROUP BY.
"""
