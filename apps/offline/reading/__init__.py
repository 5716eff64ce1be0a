"""Sources of `manage.py diagnose`, each read by one process or by several in turns."""
