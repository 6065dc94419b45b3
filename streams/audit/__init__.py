"""The audit trail: the topic `ledger`, read whole, appended to, added up."""
