"""Sessions and attempts, out of what several parties report of them."""
