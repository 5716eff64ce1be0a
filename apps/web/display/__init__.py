"""Small values that several pages show, and how they are made."""
