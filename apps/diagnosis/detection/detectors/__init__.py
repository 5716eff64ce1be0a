"""What a signal does that it should not: one module a detector."""
