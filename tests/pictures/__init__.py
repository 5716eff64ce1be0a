"""Pictures of every page of the running demo, for docs/img and for whoever changed a page."""
