"""What training runs tell of themselves: steps, saves, retries, stragglers, recovery."""
