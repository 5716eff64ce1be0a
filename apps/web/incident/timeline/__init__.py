"""The timeline of an incident: its entries, what is drawn of them, what came first."""
