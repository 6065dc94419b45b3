"""Topics and groups as an operator makes, checks and watches them.

Blocking, on kafka-python's administrator: for start-up, the command line, and a watch
over the topic of rows that asks in a thread.
"""
