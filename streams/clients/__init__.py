"""Clients: the one batch consumer and publisher, and what their errors mean."""
