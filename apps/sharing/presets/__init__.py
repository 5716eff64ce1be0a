"""Terms to begin with: one TOML file a preset, and what reads them."""
