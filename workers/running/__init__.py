"""Running: what every worker is built on: its loop, its lease, its intake."""
