"""Bytes and text → lines with time, host and rank. Reading order: clean, stamp, dialect, parse,
identity, extents."""
