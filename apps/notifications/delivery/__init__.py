"""Deliveries: when, how each try went, and whether their receiver is well."""
