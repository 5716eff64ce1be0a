"""Members: who belongs to the organization, and who is to."""
