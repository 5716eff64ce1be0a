"""What an organization without incidents does first."""
