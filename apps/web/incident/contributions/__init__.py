"""What people add to an incident: annotations, and what they say of its verdict."""
