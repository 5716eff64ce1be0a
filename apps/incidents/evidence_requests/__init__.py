"""What parties of an incident ask each other to show, and what comes of it."""
