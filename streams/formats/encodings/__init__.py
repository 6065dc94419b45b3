"""How bytes spell keys and values: the first of the two layers of a row format."""
