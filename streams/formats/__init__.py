"""How producers may spell row events, and which partition a row belongs to.

A format turns a batch of records into ids and cell codes of a schema, and names what
is wrong with each record that means nothing. ``partitioning.row_format`` chooses it.
"""
