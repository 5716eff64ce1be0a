"""Who belongs to an organization, with which tokens, and what they are told."""
