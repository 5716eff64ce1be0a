"""The variables of the environment, read with the checks that each kind of value needs.

A secret may also come from a file: PORTAL_X_FILE names it. A wrong value raises
ImproperlyConfigured, with the name of its variable.
"""

import os
import re
import secrets
import sys
from collections.abc import Collection
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from apps.diagnosis.input_values import MOST_ROWS, whole_number
from apps.diagnosis.spelling import meant, nearest, one_of, shown

# Read elsewhere than here: before the settings, or by programs that are started.
BESIDES = frozenset({"PORTAL_BIND", "PORTAL_PG_BIN", "PORTAL_READY_FILE"})
OF_TESTS = ("PORTAL_TEST_", "PORTAL_FUZZ_")
# What Kubernetes sets in each container where a service is called `portal`.
OF_KUBERNETES = re.compile(r"PORTAL_(\w+_)?(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_\w+)?)", re.ASCII)
LEVELS = ("CRITICAL", "DEBUG", "ERROR", "INFO", "WARNING")
MOST_DAYS = 36_500
_read: set[str] = set()


def check_names() -> None:
    """Raise ImproperlyConfigured for a variable that is nearly one of those that were read.

    One that is like none of them is another program's, and is named on the error output.
    """
    known = _read | BESIDES
    for name in sorted(os.environ):
        if not name.startswith("PORTAL_") or {name, name.removesuffix("_FILE")} & known:
            continue
        if name.startswith(OF_TESTS) or OF_KUBERNETES.fullmatch(name):
            continue
        words = {each.removeprefix("PORTAL_"): each for each in known}
        found = nearest(word=name.removeprefix("PORTAL_").removesuffix("_FILE"), known=words)
        if found:
            raise ImproperlyConfigured(
                f"there is no setting {shown(word=name)}; did you mean {words[found]}?"
            )
        sys.stderr.write(f"{shown(word=name)} is no setting of the portal: it is ignored\n")


def text(name: str, default: str = "") -> str:
    """Return the variable, or the content of the file that `<name>_FILE` names."""
    _read.add(name)
    path = os.environ.get(f"{name}_FILE")
    if path is None:
        return os.environ.get(name, default)
    if name in os.environ:
        raise ImproperlyConfigured(f"{name} and {name}_FILE are both set; keep one")
    try:
        return Path(path).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ImproperlyConfigured(f"{name}_FILE: can't read {path}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise ImproperlyConfigured(f"{name}_FILE: {path} is no text in UTF-8") from None


def number(name: str, default: int, *, least: int = 1, most: int = MOST_ROWS) -> int:
    """Return a whole number within bounds."""
    value = text(name, str(default)).strip()
    found = whole_number(value, most=most)
    if found is None or found < least:
        raise ImproperlyConfigured(
            f"{name}={shown(word=value)!r} is not a whole number from {least} to {most}"
        )
    return found


def days(name: str, default: int) -> int:
    """Return for how many days something is kept; the former one setting still counts."""
    former = number("PORTAL_RETENTION_DAYS", 0, least=0, most=MOST_DAYS)
    return number(name, former or default, most=MOST_DAYS)


def switch(name: str, *, default: bool) -> bool:
    """Return whether something is on."""
    value = text(name, "1" if default else "0").lower()
    if value not in {"0", "1", "true", "false", "yes", "no"}:
        raise ImproperlyConfigured(f"{name}={shown(word=value)!r} is neither 1 nor 0")
    return value in {"1", "true", "yes"}


def words(name: str, default: str = "") -> list[str]:
    """Return what stands between commas or on lines of its own."""
    return [
        word.strip() for word in text(name, default).replace("\n", ",").split(",") if word.strip()
    ]


def choice(name: str, default: str, known: Collection[str]) -> str:
    """Return one of the words, in any case."""
    value = text(name, default)
    if value.upper() not in known:
        hint = one_of(known=known) + meant(word=value, known=known)
        raise ImproperlyConfigured(f"{name}={shown(word=value)!r} is none of its words; {hint}")
    return value.upper()


def secret_keys(*, var: Path, process: str) -> list[str]:
    """Return the keys that were given, or that `manage.py up` keeps; a process needs one."""
    keys = words("PORTAL_SECRET_KEYS")
    kept = var / "secret"
    if not keys and kept.is_file():
        keys = kept.read_text(encoding="utf-8").split()
    if not keys and process:
        raise ImproperlyConfigured(
            "PORTAL_SECRET_KEYS is empty: give 50 random characters or more, the same on all hosts "
            "(python -c 'import secrets; print(secrets.token_urlsafe(50))')"
        )
    if any(len(key) < 50 for key in keys):
        raise ImproperlyConfigured("PORTAL_SECRET_KEYS: each key needs 50 characters or more")
    # A command that keeps nothing (check, diagnose) may run on a key that dies with it.
    return keys or [secrets.token_urlsafe(50)]
