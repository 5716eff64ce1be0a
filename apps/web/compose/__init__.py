"""From what a reader may see to what a page shows: pure, one module per part of a page."""
