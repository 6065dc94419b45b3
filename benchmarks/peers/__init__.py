"""What we are compared with, written the way its users write it."""
