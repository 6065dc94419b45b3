"""Migration of keys: old names are recognised, refused, listed, and renamed."""
