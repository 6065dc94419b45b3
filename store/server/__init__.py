"""The server: one way to reach Redis, its functions, its users, and their safety."""
