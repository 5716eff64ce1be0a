"""What the search found, and kept views, as they are sent."""
