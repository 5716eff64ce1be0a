"""Bytes and text → lines with time, host and rank.

Reading order: line_cleaning, timestamps, dialect, parse, identity, batch_coverage,
coverage_spans.
"""
