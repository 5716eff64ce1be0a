"""Sample data to look around with: a made-up stop in a made-up organization of its own."""
