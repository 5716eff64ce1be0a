"""The timeline as a drawing: what is placed, where it stands, what of it has room for words."""
