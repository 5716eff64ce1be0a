"""The storage path of a cluster: a save or load on its way, the ledger, scale, and ratings."""
