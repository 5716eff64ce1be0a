"""The names, one line each: one table per exporter or part of one."""
