"""The page of one node: its history, its parts, what it cost, and leaving it out."""
