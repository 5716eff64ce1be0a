"""What goes once it is old: raw text, facts, metrics, and the excerpts kept of them."""
