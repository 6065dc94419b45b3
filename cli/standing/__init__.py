"""`sigma standing`: questions that are answered in every epoch."""
