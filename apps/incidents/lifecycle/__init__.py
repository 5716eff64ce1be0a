"""What people do with an incident: acknowledge it, hand it over, resolve it, take its actions."""
