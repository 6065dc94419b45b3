"""Embedded: real servers and workers on this machine, without Docker or a JVM."""
