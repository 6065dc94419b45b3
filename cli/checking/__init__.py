"""`sigma check`: a declaration's faults, its size, and what counting it costs."""
