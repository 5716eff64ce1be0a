"""Files as they are given: plain, compressed, packed, by name."""
