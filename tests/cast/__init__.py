"""Who and what tests speak of: organizations, clusters, people, tokens, incidents, pushes."""
