"""Small training programs that the runs start; they need nothing of the portal."""
