"""The sentences of the catalogs that pages say in the reader's language.

They stand in data files, which gettext does not read: `make messages` writes them down for it.
"""

import sys
from collections.abc import Iterator

from apps.diagnosis.causes.decision_rows import answers, titles
from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.checks.load import load_checks
from apps.diagnosis.detection.known_detectors import anomaly_kinds
from apps.diagnosis.detection.metrics.coverage import subjects
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import ReadSchedule
from apps.diagnosis.signatures.load import load_catalog
from apps.telemetry.files.file_magic import KINDS
from apps.telemetry.formats import file_sets
from apps.wording.names import family


def texts() -> list[str]:
    """Return what lines, metrics and causes mean, what there is to do, what would settle a cause,
    what metrics should tell of, and why a file is no log.
    """
    causes = load_causes().values()
    told = {*_of_lines(), *_of_metrics()}
    told |= {cause.means for cause in causes} | {cause.action for cause in causes}
    told |= {symptom.text for cause in causes for symptom in cause.symptoms}
    told |= {one.text for cause in causes for one in cause.actions}
    told |= {settling.would for cause in causes for settling in cause.settles}
    told |= {answer.text for answer in answers()}
    told |= {text for head in titles() for text in (head.one, head.several, head.unnamed)}
    told |= {*file_sets.REASONS, *KINDS.values()}
    told |= {text for kind in anomaly_kinds().values() for text in (kind.did, kind.sentence)}
    told |= {text for each in load_checks().values() for text in each.phrases}
    for subject in subjects():
        told |= {subject.name, subject.without, *(part.name for part in subject.parts)}
    return sorted(told - {""})


def _of_lines() -> Iterator[str]:
    """Yield what signatures mean, whatever their fields hold."""
    for signature in load_catalog().values():
        yield signature.meaning
        for meanings in signature.says.values():
            yield from meanings.values()


def _of_metrics() -> Iterator[str]:
    """Yield what signals that anybody reads are called, and their families; of the others there
    is only their name.
    """
    for signal in catalog().signals.values():
        if signal.read is not ReadSchedule.KNOWN:
            yield signal.title
            yield family(signal.family)


if __name__ == "__main__":
    sys.stdout.writelines(f"gettext_noop({text!r})\n" for text in texts())
