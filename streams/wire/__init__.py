"""What travels: topics, events and their bytes, records and batches.

Every message is one immutable struct with bounds, decoded in one place and refused with
one error; every topic is one value. Nothing here connects to anything.
"""
