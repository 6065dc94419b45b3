"""The parts of the report: each a table of the paper, or beyond it."""
