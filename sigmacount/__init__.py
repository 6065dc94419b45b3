"""Sigma-counting: private counts that add up (Gao and Ding). The pure core."""
