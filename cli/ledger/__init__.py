"""`sigma ledger` and what it does: show, audit, restore, change the rule."""
