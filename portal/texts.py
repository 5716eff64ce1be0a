"""The sentences of the catalogs that pages say in the reader's language.

They stand in data files, which gettext does not read: `make messages` writes them down for it.
"""

import sys

from apps.diagnosis.causes.decisions import answers, titles
from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.detection.metrics.coverage import subjects
from apps.diagnosis.diagnose import unplaced
from apps.diagnosis.reasoning.explanation import explain, recovery
from apps.telemetry.files.file_magic import KINDS
from apps.telemetry.formats import file_sets


def texts() -> list[str]:
    """Return what there is to do, what would settle a cause, what metrics should tell of, and why
    a file is no log.
    """
    causes = load_causes().values()
    told = {cause.action for cause in causes}
    told |= {one.text for cause in causes for one in cause.actions}
    told |= {settling.would for cause in causes for settling in cause.settles}
    told |= {*recovery.ASKED.values(), recovery.REBOOT, *unplaced.ASKED.values()}
    told |= {explain.DATED}
    told |= {answer.text for answer in answers()}
    told |= {text for head in titles() for text in (head.one, head.several, head.unnamed)}
    told |= {*file_sets.REASONS, *KINDS.values()}
    for subject in subjects():
        told |= {subject.name, subject.without, *(part.name for part in subject.parts)}
    return sorted(told - {""})


if __name__ == "__main__":
    sys.stdout.writelines(f"gettext_noop({text!r})\n" for text in texts())
