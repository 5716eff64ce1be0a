"""What can break: one TOML block a cause, what speaks for it, who acts, what would settle it."""
