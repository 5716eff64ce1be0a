"""Reports of a period: counted for a reader, issued and kept as they were, sent on a schedule."""
