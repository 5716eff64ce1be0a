"""What an organization without incidents does first: each step done, waited for, or missing."""
