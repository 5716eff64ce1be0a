"""How annotations are shown: small Markdown, and what they refer to."""
