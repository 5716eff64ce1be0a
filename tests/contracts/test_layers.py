"""What the import contracts can't see."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BARE = """
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, f"{sys.argv[1]}."):
    importlib.import_module(module.name)
print(sorted({name.partition(".")[0] for name in sys.modules}))
"""


@pytest.mark.parametrize("package", ["apps.diagnosis", "apps.training"])
def test_plain_packages_import_without_django_or_a_driver(package: str) -> None:
    done = subprocess.run(  # noqa: S603  our own lines
        [sys.executable, "-c", BARE, package], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    loaded = set(done.stdout.strip("[]\n").replace("'", "").split(", "))
    assert loaded & {"django", "celery", "redis", "psycopg", "requests", "portal"} == set()
    assert "apps" in loaded


def test_views_never_say_objects() -> None:
    said = [
        f"{path.relative_to(ROOT)}:{number}"
        for app in ("api", "web")
        for path in sorted((ROOT / "apps" / app).rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if ".objects" in line
    ]

    assert said == []
