"""What is hidden, and how: one TOML file a profile, and how it is read."""
