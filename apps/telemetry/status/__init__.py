"""How complete and how fresh what an organization sends is."""
