"""Sources of metrics and logs that fall silent, and are heard again."""
