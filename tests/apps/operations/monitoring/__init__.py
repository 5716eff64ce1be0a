"""What the portal says of itself."""
