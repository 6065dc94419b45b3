"""The questions of the demo: who asks them, what they count, what is answered."""
