"""A person's own account: name, address, language, password."""
