"""What lines mean: one TOML block a signature, tables of codes, and what matches them."""
