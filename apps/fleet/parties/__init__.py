"""Who takes part in a cluster, and how a part begins and ends."""
