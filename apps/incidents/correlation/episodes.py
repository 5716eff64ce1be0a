"""How close troubles of one part are to be one episode."""

from datetime import timedelta
from typing import Final

ONE_EPISODE: Final = timedelta(minutes=45)
