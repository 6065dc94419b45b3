"""`sigma plan`: what is released, and what the query log would have instead."""
