"""One module per line format; each holds one frozen Dialect."""
