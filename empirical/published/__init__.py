"""The paper's Tables 1 and 2, exactly as printed: `table_1()` and `table_2()`."""

from empirical.published.tables import TABLE_1, TABLE_2, table_1, table_2

__all__ = ["TABLE_1", "TABLE_2", "table_1", "table_2"]
