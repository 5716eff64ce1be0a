"""Print what attempts cost: `python -m tests.contracts.amplification [--table|--card] [NAME…]`.

A line of JSON each, or a table in Markdown; all attempts where none is named. `--card` writes the
dearest of each kind into docs/scorecard.md instead.
"""

import json
import os
import sys
from dataclasses import asdict
from datetime import UTC, datetime

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from tests.contracts.amplification.bodies import ATTEMPTS  # noqa: E402  settings come first
from tests.contracts.amplification.cost import card, run, table  # noqa: E402
from tests.score.sections import put  # noqa: E402

names = [each for each in sys.argv[1:] if not each.startswith("--")]
costs = (run(attempt=ATTEMPTS[name]) for name in names or ATTEMPTS)
if "--card" in sys.argv:
    today = datetime.now(UTC)  # noqa: TID251  a command
    put("bodies", card(costs=costs, day=f"{today:%Y-%m-%d}"))
    sys.exit()
is_table = "--table" in sys.argv
for line in table(costs=costs) if is_table else (json.dumps(asdict(each)) for each in costs):
    print(line, flush=True)  # noqa: T201  a command
