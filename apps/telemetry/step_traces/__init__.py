"""Step traces as files: read into jobs, and what is said of them as JSON."""
