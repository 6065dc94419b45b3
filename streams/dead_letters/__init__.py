"""Records that mean nothing: written aside with the reason, read back, sent again.

Headers are those of Kafka Connect's dead letter queues, so that its tools read them.
"""
