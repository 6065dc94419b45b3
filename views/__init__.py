"""Views: what answers, plans and the ledger look like to a person or a program."""
