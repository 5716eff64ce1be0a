"""What happens to a session: one module a layer, each fault with its truth."""
