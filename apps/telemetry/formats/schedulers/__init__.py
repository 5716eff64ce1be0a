"""What schedulers say as JSON, and the words they say it in."""
