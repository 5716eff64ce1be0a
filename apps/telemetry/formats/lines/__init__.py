"""Lines of any text: cut, cleaned, and what is wrong with them."""
