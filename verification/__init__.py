"""Who is right: property tests that join `spec` and `reference`, and the ledger that they fill."""
