"""What flows in, how to add to it, and the page of one metrics source."""
