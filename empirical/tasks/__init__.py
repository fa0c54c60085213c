"""Tasks: GSM8K and the eight transfer sets, offline stand-ins of graded distance, and files of one's own."""

from empirical.tasks.load import describe, load_task
from empirical.tasks.problem import Problem

__all__ = ["Problem", "describe", "load_task"]
