"""A visitor of the edge without a network: what is sent, what was read of it, what came back."""

from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass, field
from typing import Any

from apps.operations.admission.admission_state import AdmissionLimits, Application
from apps.operations.admission.application import Admission

LIMITS = AdmissionLimits(
    body_bytes=4 * 2**20, in_flight_bytes=8 * 2**20, concurrent=8, behind_proxy=False
)
Message = MutableMapping[str, Any]


@dataclass(kw_only=True)
class Visitor:
    """Sends one request in parts; remembers how much of it was taken and what was answered."""

    parts: Iterable[bytes] = ()
    taken: int = 0
    reads: int = 0
    answers: list[Message] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with the first part."""
        self._rest = iter(self.parts)

    @property
    def status(self) -> int:
        """What was answered."""
        return int(self.answers[0]["status"])

    @property
    def headers(self) -> dict[bytes, bytes]:
        """The headers of the answer."""
        return dict(self.answers[0]["headers"])

    @property
    def text(self) -> bytes:
        """The body of the answer."""
        return b"".join(each.get("body", b"") for each in self.answers[1:])

    async def receive(self) -> Message:
        """Hand over the next part."""
        self.reads += 1
        part = next(self._rest, None)
        self.taken += len(part or b"")
        return {"type": "http.request", "body": part or b"", "more_body": part is not None}

    async def send(self, message: Message) -> None:
        """Take a part of the answer."""
        self.answers.append(message)


def scope(method: str = "POST", path: str = "/sign-in/", **headers: str) -> dict[str, Any]:
    """Return what the web server says of a request."""
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [(b"host", b"localhost"), *named],
        "client": ("192.0.2.7", 4711),
        "server": ("127.0.0.1", 8000),
        "scheme": "http",
    }


async def visit(application: Application, asked: dict[str, Any], visitor: Visitor) -> Visitor:
    """Let the visitor ask, and return it with the answer."""
    await application(asked, visitor.receive, visitor.send)
    return visitor


async def echo(asked: Any, receive: Any, send: Any) -> None:
    """Answer 200 with how many bytes were read, or what was withheld, as an application would."""
    withheld = asked.get("portal.withheld")
    count, more = 0, True
    while more:
        message = await receive()
        count += len(message.get("body", b""))
        more = message.get("more_body", False)
    status = 200 if withheld is None else 401 if withheld.is_open else withheld.status
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": str(count).encode()})


def edge(application: Application = echo, *, limits: AdmissionLimits = LIMITS) -> Admission:
    """Return the edge in front of an application."""
    return Admission(application, limits=limits)
