"""One attempt before its diagnosis: what is known of it, and when it is not diagnosed."""
