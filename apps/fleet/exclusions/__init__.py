"""Which nodes were left out, when and why: told by several, ended by whoever says so."""
