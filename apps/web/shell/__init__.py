"""The frame around every page, and how a page is rendered inside it."""
