"""The paper, reproduced."""
