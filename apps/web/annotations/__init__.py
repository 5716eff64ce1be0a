"""How annotations are shown: small Markdown, what they refer to, changes of an open page."""
