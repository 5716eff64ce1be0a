"""The variables that hold addresses: hosts, networks, and servers of data, queues and mail.

A refusal never repeats an address that may hold a password.
"""

import re
from email.utils import parseaddr
from ipaddress import ip_address, ip_network
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from apps.diagnosis.spelling import sayable, shown
from portal import variables

HOST = re.compile(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_.])?", re.ASCII)


def hosts(name: str) -> list[str]:
    """Return names of hosts: exact, all below one (`.example.org`), addresses, or `*`."""
    found = variables.words(name)
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
    found = variables.words(name, default)
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
    url = variables.text(name).strip()
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
    url = variables.text(name)
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
