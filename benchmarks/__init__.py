"""Questions with numbers; `make bench` answers them and holds them to their bars."""
