"""The variables of the environment, read with the checks that each kind of value needs.

A secret may also come from a file: PORTAL_X_FILE names it. A wrong value raises
ImproperlyConfigured, with the name of its variable.
"""

import os
import re
import secrets
import sys
from email.utils import parseaddr
from ipaddress import ip_network
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from apps.diagnosis.spelling import nearest, shown

# Read elsewhere than here: before the settings, or by programs that are started.
BESIDES = frozenset({"PORTAL_BIND", "PORTAL_PG_BIN", "PORTAL_READY_FILE"})
OF_TESTS = ("PORTAL_TEST_", "PORTAL_FUZZ_")
# What Kubernetes sets in each container where a service is called `portal`.
OF_KUBERNETES = re.compile(r"PORTAL_(\w+_)?(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_\w+)?)", re.ASCII)
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


def number(name: str, default: int) -> int:
    """Return a whole number."""
    value = text(name, str(default))
    try:
        return int(value)
    except ValueError:
        raise ImproperlyConfigured(f"{name}={value!r} is not a whole number") from None


def days(name: str, default: int) -> int:
    """Return for how many days something is kept; the former one setting still counts."""
    former = number("PORTAL_RETENTION_DAYS", 0)
    kept = number(name, former or default)
    if kept < 1:
        raise ImproperlyConfigured(f"{name}={kept}: keep it for a day or longer")
    return kept


def switch(name: str, *, default: bool) -> bool:
    """Return whether something is on."""
    value = text(name, "1" if default else "0").lower()
    if value not in {"0", "1", "true", "false", "yes", "no"}:
        raise ImproperlyConfigured(f"{name}={value!r} is neither 1 nor 0")
    return value in {"1", "true", "yes"}


def words(name: str, default: str = "") -> list[str]:
    """Return what stands between commas or on lines of its own."""
    return [
        word.strip() for word in text(name, default).replace("\n", ",").split(",") if word.strip()
    ]


def networks(name: str, default: str = "") -> list[str]:
    """Return networks like 10.1.0.0/16; an address alone is a network of one."""
    found = words(name, default)
    for text in found:
        try:
            ip_network(text)
        except ValueError as error:
            raise ImproperlyConfigured(
                f"{name}: {text!r} is no network like 10.1.0.0/16: {error}"
            ) from None
    return found


def database(name: str, url: str) -> dict[str, Any]:
    """Return Django's form of `postgresql://user:password@host:5432/name?option=value`."""
    parts = urlsplit(url)
    if parts.scheme not in {"postgres", "postgresql"} or not parts.path.strip("/"):
        raise ImproperlyConfigured(
            f"{name} must look like postgresql://user:password@host:5432/name (PostgreSQL 15+)"
        )
    options: dict[str, Any] = dict(parse_qsl(parts.query))
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": options.pop("host", parts.hostname or ""),
        "PORT": str(parts.port or ""),
        "OPTIONS": options,
    }


def web_address(name: str, url: str) -> tuple[str, str]:
    """Return scheme and host of the address that people use."""
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ImproperlyConfigured(f"{name}={url!r} must start with http(s)://host")
    return parts.scheme, parts.hostname


def mail_server(name: str) -> dict[str, Any]:
    """Return host, port, user, password and security of a mail server; empty where none is named.

    smtp means STARTTLS, smtps TLS from the first byte; `?tls=none` neither, and then no password.
    """
    url = text(name)
    try:
        parts, port = urlsplit(url), urlsplit(url).port
    except ValueError:
        raise ImproperlyConfigured(f"{name}: the port is no number from 1 to 65535") from None
    security = {"smtps": "tls", "smtp": "none" if parts.query == "tls=none" else "starttls"}
    if not url:
        return {}
    if parts.scheme not in security or not parts.hostname or parts.query not in {"", "tls=none"}:
        # Without the value: it may hold a password.
        raise ImproperlyConfigured(
            f"{name} must look like smtp://user:password@host:587, smtps://user:password@host:465 "
            "or smtp://host:25?tls=none"
        )
    chosen = security[parts.scheme]
    if chosen == "none" and parts.username:
        raise ImproperlyConfigured(f"{name}: with tls=none the password would travel in clear")
    return {
        "host": parts.hostname,
        "port": port or {"tls": 465, "starttls": 587, "none": 25}[chosen],
        "user": unquote(parts.username or ""),
        "password": unquote(parts.password or ""),
        "security": chosen,
    }


def mail_address(name: str, value: str) -> str:
    """Return an address that mail may be from."""
    if "@" not in parseaddr(value)[1] or not value.isascii() or not value.isprintable():
        raise ImproperlyConfigured(f"{name}={value!r} is no address like faultline@example.com")
    return value


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
