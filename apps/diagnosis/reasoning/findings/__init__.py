"""What only several lines tell together, as observations of their own."""
