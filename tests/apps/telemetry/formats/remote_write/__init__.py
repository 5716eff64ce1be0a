"""Requests of remote_write, byte by byte."""
