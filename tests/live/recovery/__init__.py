"""A real job over gloo on this machine's processors: one rank is killed, the others go on."""
