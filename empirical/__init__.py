"""The empirical room: published tables, audits of them, and (later) runs, diagnostics and reports."""
