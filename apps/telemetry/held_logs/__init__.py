"""Logs that an organization holds, read at any place: pages of lines, jumps to a time, search."""
