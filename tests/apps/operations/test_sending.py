"""The switch of sending, where there is nothing to switch yet."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connections


@pytest.mark.django_db
def test_a_database_without_tables_is_told_in_a_sentence(tmp_path: Path) -> None:
    known = connections["default"].settings_dict
    who = f"{known['USER']}:{known['PASSWORD']}" if known["PASSWORD"] else known["USER"]
    port = f"&port={known['PORT']}" if known["PORT"] else ""
    url = f"postgresql://{who}@/postgres?host={known['HOST']}{port}"
    done = subprocess.run(
        [sys.executable, "manage.py", "sending"],
        cwd=settings.BASE_DIR,
        env={**os.environ, "PORTAL_VAR": str(tmp_path), "PORTAL_DATABASE_URL": url},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1
    assert "the database has no tables yet; `manage.py up` or" in done.stderr
    assert "SELECT" not in done.stderr
