"""The variables of the environment, read with the checks that each kind of value needs.

A secret may also come from a file: PORTAL_X_FILE names it. A wrong value raises
ImproperlyConfigured, with the name of its variable.
"""

import os
import re
import secrets
import sys
from collections.abc import Collection
from email.utils import parseaddr
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from apps.diagnosis.input_values import MOST_ROWS, whole_number
from apps.diagnosis.spelling import meant, nearest, one_of, sayable, shown

# Read elsewhere than here: before the settings, or by programs that are started.
BESIDES = frozenset({"PORTAL_BIND", "PORTAL_PG_BIN", "PORTAL_READY_FILE"})
OF_TESTS = ("PORTAL_TEST_", "PORTAL_FUZZ_")
# What Kubernetes sets in each container where a service is called `portal`.
OF_KUBERNETES = re.compile(r"PORTAL_(\w+_)?(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_\w+)?)", re.ASCII)
HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?", re.ASCII)
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


def hosts(name: str) -> list[str]:
    """Return names of hosts: exact, all below one (`.example.org`), addresses, or `*`."""
    found = words(name)
    for each in found:
        if each != "*" and not HOST.fullmatch(each.removeprefix(".")) and not _is_ipv6(each):
            raise ImproperlyConfigured(
                f"{name}: {shown(word=each)!r} is no name of a host, without http:// and a port"
            )
    return found


def _is_ipv6(text: str) -> bool:
    try:
        return text.startswith("[") and ip_address(text.strip("[]")).version == 6
    except ValueError:
        return False


def networks(name: str, default: str = "") -> list[str]:
    """Return networks like 10.1.0.0/16; an address alone is a network of one."""
    found = words(name, default)
    for text in found:
        try:
            ip_network(text)
        except ValueError:
            told = f"{name}: {shown(word=text)!r} is no network like 10.1.0.0/16"
            raise ImproperlyConfigured(f"{told}{_meant_network(text)}") from None
    return found


def _meant_network(text: str) -> str:
    """Return the network that an address with a mask lies in, as a hint; nothing where none."""
    try:
        return f"; did you mean {ip_network(text, strict=False)}?"
    except ValueError:
        return ""


def database(name: str, url: str) -> dict[str, Any]:
    """Return Django's form of `postgresql://user:password@host:5432/name?option=value`."""
    parts, port = _address(name, url)
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
        "PORT": str(port or ""),
        "OPTIONS": options,
    }


def redis(name: str) -> str:
    """Return the URL of a Redis or Valkey, empty where none is named."""
    url = text(name).strip()
    parts, _ = _address(name, url)
    is_one = parts.hostname if parts.scheme in {"redis", "rediss"} else parts.path
    if url and not (parts.scheme in {"redis", "rediss", "unix"} and is_one):
        raise ImproperlyConfigured(
            f"{name} must look like redis://user:password@host:6379/0, rediss://… or "
            "unix:///path/to/socket"
        )
    return url


def web_address(name: str, url: str) -> tuple[str, str]:
    """Return scheme and host of the address that people use."""
    parts, _ = _address(name, url)
    host = parts.hostname or ""
    if parts.scheme not in {"http", "https"} or not (HOST.fullmatch(host) or ":" in host):
        raise ImproperlyConfigured(f"{name}={sayable(text=url)!r} must start with http(s)://host")
    return parts.scheme, host


def _address(name: str, url: str) -> tuple[SplitResult, int | None]:
    """Return the parts of a URL and its port. A refusal is without the value: it may hold a secret.

    Browsers and drivers disagree about brackets, odd digits and ports that are none.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ImproperlyConfigured(
            f"{name} is no address: its host or its port, a number from 1 to 65535, can't be read"
        ) from None
    return parts, port


def mail_server(name: str) -> dict[str, Any]:
    """Return host, port, user, password and security of a mail server; empty where none is named.

    smtp means STARTTLS, smtps TLS from the first byte; `?tls=none` neither, and then no password.
    """
    url = text(name)
    parts, port = _address(name, url)
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
        raise ImproperlyConfigured(
            f"{name}={shown(word=value)!r} is no address like faultline@example.com"
        )
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
