"""Lines as observations: each fact once, with what others say against it."""
