"""What the portal says of itself: log lines of requests and tasks, and numbers for Prometheus."""
