"""Logs: any trainer's record of a GRPO run as one checked table."""

from empirical.logs.log import Log
from empirical.logs.note import Note
from empirical.logs.reading import read

__all__ = ["Log", "Note", "read"]
