"""What a draft may be made of: SQL, schemas in JSON, headers, lists of levels."""
