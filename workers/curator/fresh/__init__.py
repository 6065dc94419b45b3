"""Fresh queries: held by no algebra, paid for by who asks, kept in a memo."""
