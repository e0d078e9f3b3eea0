"""Running the protocols: clients that draw reports, servers that count and estimate."""
