"""Where attempts ran, and what lies between their hosts."""
