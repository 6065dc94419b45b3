"""The ledger in Redis: charged once per id, read by lines, put back in one step."""
