"""How far apart disturbances of one kind may be and still be one episode."""

from datetime import timedelta
from typing import Final

ONE_EPISODE: Final = timedelta(minutes=45)
