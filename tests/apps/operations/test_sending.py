"""The switch of sending, where there is nothing to switch yet."""

import os
import subprocess
import sys
from contextlib import nullcontext
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connections

from apps.operations.management.commands import sending


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


@pytest.mark.django_db
def test_without_the_owner_it_says_how_things_stand_and_switches_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sending, "database", lambda **_kept: nullcontext())
    owner = {**settings.DATABASES["owner"], "ENGINE": "django.db.backends.dummy"}
    monkeypatch.setitem(settings.DATABASES, "owner", owner)
    said = StringIO()
    call_command("sending", stdout=said)
    assert said.getvalue() == "Letters and webhooks go out.\n"
    with pytest.raises(CommandError, match="needs PORTAL_OWNER_DATABASE_URL"):
        call_command("sending", "hold")
    call_command("sending", stdout=said)
    assert said.getvalue().count("Letters and webhooks go out.") == 2
