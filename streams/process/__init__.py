"""The process around one service: Faust starts it, watches it, and ends with it.

Signals, a leader among equals, the pages /live, /ready and /metrics; and a watchdog for
a process that ought to end and does not. No other room knows Faust.
"""
