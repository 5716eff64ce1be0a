"""The list of incidents."""
