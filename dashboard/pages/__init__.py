"""What each page shows, as values: a module for each page."""
