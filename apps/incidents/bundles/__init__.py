"""What an organization holds of an incident, gathered for an evidence bundle."""
