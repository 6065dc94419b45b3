"""The reclusterer: query log → plans, proposed when worth their price."""
