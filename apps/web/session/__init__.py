"""The page of one session: its attempts, its ranks on their nodes, its logs."""
