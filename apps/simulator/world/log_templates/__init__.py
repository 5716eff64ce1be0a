"""One module per kind of software: what it prints, after its own format strings."""
