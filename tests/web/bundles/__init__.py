"""Pages of evidence bundles."""
