"""What is taken where nobody says."""

from typing import Final

# One page in ten days of rows like the learnt ones; rows that drift away give more.
PAGES_PER_DAY: Final = 0.1
MINUTE: Final = 60.0  # seconds between rows
