"""Tests of the empirical room."""
