"""What gives reason to tell somebody: incidents, repeated stops, mentions, offers of parts."""
