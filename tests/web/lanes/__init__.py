"""A timeline as it is drawn, without a page."""
