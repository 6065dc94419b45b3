"""Data in motion: topics, messages and records of Kafka, and clients that carry them.

``wire`` says what travels, ``formats`` how producers may spell rows, ``clients`` reads
and publishes. On these stand ``audit`` (the audit trail), ``dead_letters`` (records
that mean nothing), ``admin`` (topics and groups) and ``process`` (a service in Faust).
"""
