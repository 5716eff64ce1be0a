"""Answering a request by a signed statement about what the holder has, instead of showing it."""
