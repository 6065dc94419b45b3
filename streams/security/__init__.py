"""How a client proves who it is: tokens of OAUTHBEARER, and why a broker refuses it."""
