"""One pull of a source: when it is due, what is read of it, block by block."""
