"""Members, tokens, and what people are told, as they are sent."""
