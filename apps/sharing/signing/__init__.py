"""What an organization signs with its own key, so that others can check it without a portal."""
