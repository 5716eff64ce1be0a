"""Running the portal: its servers and processes, its edge, back-ups, set-up and its commands."""
