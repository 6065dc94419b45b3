"""`sigma export`: a whole release as a file, for whoever works with files."""
