"""Dialects that need code: one module with one `Dialect` each."""
