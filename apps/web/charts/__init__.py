"""Evidence charts: the blamed part against its peers' band."""
