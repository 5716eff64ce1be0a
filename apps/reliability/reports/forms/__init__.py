"""A report in words: as sections of a page, as a page to print, as Markdown, its tables as CSV."""
