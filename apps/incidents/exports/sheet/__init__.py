"""One incident on paper: its document of the export → words, a timeline and charts of one page."""
