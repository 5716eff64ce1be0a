"""Working on an incident together: whose hands it is in, hand-overs, resolving, actions."""
