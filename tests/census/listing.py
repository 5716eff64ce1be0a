"""Labels as people and `manage.py backtest --failures` read them."""

import csv
import io
from collections.abc import Iterable, Iterator

from apps.simulator.world.truth import rfc3339
from tests.census import Census
from tests.census.cases import Label

COLUMNS = (
    *("seed", "case", "group", "kind", "xid", "host", "gpu", "at", "ends_at"),
    *("precursor", "precursor_starts_at", "strength", "names", "simulated"),
)


def rows(*, seed: int, labels: Iterable[Label]) -> Iterator[dict[str, str]]:
    """Return one row per failure; what has no precursor has empty fields, not invented ones."""
    for label in labels:
        before = label.precursor
        yield {
            "seed": str(seed),
            "case": str(label.number),
            "group": label.group,
            "kind": label.kind,
            "xid": "" if label.xid is None else str(label.xid),
            "host": label.node,
            "gpu": "" if label.gpu is None else str(label.gpu),
            "at": rfc3339(label.at),
            "ends_at": rfc3339(label.ends_at),
            "precursor": before.what if before else "",
            "precursor_starts_at": rfc3339(before.starts_at) if before else "",
            "strength": before.strength if before else "",
            "names": " ".join(before.names) if before else "",
            "simulated": "true",
        }


def as_csv(found: Iterable[dict[str, str]]) -> str:
    """Return rows as CSV with a heading."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(found)
    return text.getvalue()


def sessions_as_csv(census: Census) -> str:
    """Return the sessions as a scheduler would list them."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("session", "starts_at", "ends_at", "hosts", "simulated"))
    for each in sorted(census.sessions, key=lambda s: s.starts_at):
        hosts = " ".join(census.hosts[h] for h in each.hosts)
        writer.writerow((each.name, rfc3339(each.starts_at), rfc3339(each.ends_at), hosts, "true"))
    return text.getvalue()
