"""How the portal's processes log: one JSON object a line, and which loggers write what."""
