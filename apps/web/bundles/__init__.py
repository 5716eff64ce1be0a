"""Evidence bundles: what goes, what they will get, sending it, and taking it back."""
