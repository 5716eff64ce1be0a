"""Evidence bundles: choosing what goes, seeing what they will get, sending, and taking it back."""
