"""Recovery while a job runs: its lane, what its steps break, and what running on was worth."""
