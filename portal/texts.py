"""The sentences of the catalog of causes that pages say in the reader's language.

They stand in data files, which gettext does not read: `make messages` writes them down for it.
"""

import sys

from apps.diagnosis.causes.load import load_causes


def texts() -> list[str]:
    """Return what there is to do, and what would settle each cause."""
    causes = load_causes().values()
    told = {cause.action for cause in causes}
    told |= {settling.would for cause in causes for settling in cause.settles}
    return sorted(told - {""})


if __name__ == "__main__":
    sys.stdout.writelines(f"gettext_noop({text!r})\n" for text in texts())
