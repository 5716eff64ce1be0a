"""How far a failed health check is to be trusted: how often it fails while sessions succeed."""
