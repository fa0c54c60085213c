"""Tests of the house itself: walls, the checker, verdicts, stamps, the ledger, the README."""
