"""Print what attempts cost: `python -m tests.contracts.amplification [--table] [NAME…]`.

A line of JSON each, or a table in Markdown; all attempts where none is named.
"""

import json
import os
import sys
from dataclasses import asdict

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from tests.contracts.amplification.bodies import ATTEMPTS  # noqa: E402  settings come first
from tests.contracts.amplification.cost import run, table  # noqa: E402

names = [each for each in sys.argv[1:] if each != "--table"]
costs = (run(attempt=ATTEMPTS[name]) for name in names or ATTEMPTS)
is_table = "--table" in sys.argv
for line in table(costs=costs) if is_table else (json.dumps(asdict(each)) for each in costs):
    print(line, flush=True)  # noqa: T201  a command
