"""What is done with PostgreSQL beyond the framework: isolation, locks, rows in bulk."""
