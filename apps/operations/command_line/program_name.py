"""How this command is called: by its own name where it is installed, else by its file."""

import os
import sys
from pathlib import Path

NAME = "faultline"
FILE = "manage.py"


def called() -> str:
    """Return what to type in front of a command, as the reader of a hint would type it."""
    return FILE if Path(sys.argv[0]).name == FILE else NAME


def know_settings() -> None:
    """Say where the settings are, for whoever asks for them later."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
