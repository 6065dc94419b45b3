"""What travels: topics, events and their bytes, records and batches.

``messages`` are immutable structs with bounds, decoded in one place and refused with
one error; every topic is one value. Nothing here connects to anything.
"""
