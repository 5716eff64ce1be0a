"""How a description is read, without a portal."""
