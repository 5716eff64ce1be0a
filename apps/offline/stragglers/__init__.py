"""`manage.py stragglers`: step traces of files, and what is said of them."""
