"""What one attempt did, put together from points that its logs tell: steps, saves and loads."""
