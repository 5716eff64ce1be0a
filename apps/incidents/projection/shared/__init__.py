"""What other parties hold of an incident, as far as their agreements with the reader show it."""
