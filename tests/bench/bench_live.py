"""How soon an act of one party stands on the others' open pages, in headless Chromium.

Runs the browser tests of live work and annotations alone, and reads the delays that they print.
"""

import re
import subprocess
import sys
from pathlib import Path
from statistics import median

from tests.bench.report import quantile

ROOT = Path(__file__).resolve().parents[2]
JOURNEYS = (
    "tests/e2e/test_live_work.py::test_what_one_party_does_is_on_the_others_open_pages_by_itself",
    "tests/e2e/test_annotations.py::test_what_is_written_by_a_drag_is_on_the_others_by_itself",
)
PRINTED = re.compile(r"live, seconds: ([\d. ]+); a page: ([\d.]+)$", re.MULTILINE)


def main() -> None:
    """Print the median and p95 of the delays, and the former beside the fetching of a page."""
    told = subprocess.run(  # noqa: S603  our own tests
        [sys.executable, "-m", "pytest", "-n", "0", "-q", "-s", *JOURNEYS],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    found = PRINTED.findall(told.stdout)
    if told.returncode or not found:
        print(told.stdout[-2000:])  # noqa: T201
        sys.exit("live: the journeys did not run; they need Chromium")
    delays = [float(each) for seconds, _page in found for each in seconds.split()]
    page = median(float(fetched) for _seconds, fetched in found)
    print(  # noqa: T201
        f"live: median {median(delays):.3f} s, p95 {quantile(delays, 0.95):.3f} s of"
        f" {len(delays)} acts; {median(delays) / page:.1f} x one page ({page:.3f} s)"
    )


if __name__ == "__main__":
    main()
