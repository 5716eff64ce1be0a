"""The signed webhook of an organization."""
