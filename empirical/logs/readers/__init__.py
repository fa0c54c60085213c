"""Readers: one module a file format, each with its `READER`."""
