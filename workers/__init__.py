"""The processes: counter, curator, responder, reclusterer."""
