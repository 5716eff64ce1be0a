"""The share ledger: written where things are handed out, sealed, read by both sides."""
