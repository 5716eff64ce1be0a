"""What stood around an incident: saves and loads, nodes left out, states of its verdict."""
