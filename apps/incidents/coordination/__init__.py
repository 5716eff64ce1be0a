"""How an incident stands among its parties: in whose hands it is, and whether they agree."""
