"""`sigma init`: a first declaration, from schemas and references, never from rows."""
