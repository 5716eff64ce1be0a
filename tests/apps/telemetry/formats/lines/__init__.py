"""Lines out of bytes and entries, at their bounds."""
