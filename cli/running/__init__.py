"""`sigma worker`, `up`, `topics`, `acl`, `functions`: processes and what they need."""
