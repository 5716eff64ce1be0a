"""One conversation with a store that takes remote_write."""

from typing import Final, Self

import cramjam
import requests

from apps.telemetry.formats import remote_write
from apps.telemetry.models import PushedBody
from apps.telemetry.samples.accept import REMOTE_WRITE_1, REMOTE_WRITE_2
from apps.telemetry.samples.interpret import columns_of, unpacked_body
from apps.telemetry.sources.address import Address, sign
from apps.tenancy.outbound.bounded_answers import AnswerTooBig, AnswerTooSlow
from apps.tenancy.outbound.guarded_http import GuardedSession, reason
from apps.tenancy.outbound.policy import OutboundRefused

CONNECT_SECONDS: Final = 3.0
READ_SECONDS: Final = 10.0
HEADERS: Final = {
    REMOTE_WRITE_1: ("application/x-protobuf", "0.1.0"),
    REMOTE_WRITE_2: ("application/x-protobuf;proto=io.prometheus.write.v2.Request", "2.0.0"),
}
UNSUPPORTED: Final = 415
SAID_BYTES: Final = 200
WRITTEN: Final = "X-Prometheus-Remote-Write-Samples-Written"
_TROUBLE: Final = (requests.RequestException, OutboundRefused, AnswerTooBig, AnswerTooSlow, OSError)


class TryLater(Exception):
    """The store can't take it now; the message says what it said."""


class RemoteWriteStore:
    """One conversation with a store that takes remote_write."""

    def __init__(self, *, address: Address) -> None:
        self._url = address.url
        self._policy = address.policy
        self._speaks_v2 = True
        try:
            self._session = GuardedSession(
                url=address.url,
                policy=address.policy,
                ca_pem=address.ca_pem,
                max_bytes=2**20,
                seconds=READ_SECONDS,
            )
        except (OutboundRefused, ValueError) as error:
            raise TryLater(str(error)) from error
        self._session.verify = address.verify_tls
        sign(self._session, address.credential)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._session.close()

    def send(self, body: PushedBody) -> str:
        """Send a body; return why it was refused for ever, or nothing. Raises TryLater."""
        is_whole = not body.only_cluster
        if is_whole and body.protocol == REMOTE_WRITE_2 and self._speaks_v2:
            answer = self._post(REMOTE_WRITE_2, unpacked_body(body))
            # A store that knows 1.0 alone takes a body of 2.0 for an empty one, and says 2xx
            # without a word of what it wrote.
            self._speaks_v2 = answer.status_code != UNSUPPORTED and (
                not answer.ok or WRITTEN in answer.headers
            )
            if self._speaks_v2:
                return _refusal(answer)
        is_first = is_whole and body.protocol == REMOTE_WRITE_1
        raw = unpacked_body(body) if is_first else remote_write.write_v1(columns=columns_of(body))
        return _refusal(self._post(REMOTE_WRITE_1, raw))

    def _post(self, protocol: str, raw: bytes) -> requests.Response:
        content_type, version = HEADERS[protocol]
        try:
            answer = self._session.post(
                self._url,
                data=bytes(cramjam.snappy.compress_raw(raw)),
                headers={
                    "Content-Type": content_type,
                    "Content-Encoding": "snappy",
                    "X-Prometheus-Remote-Write-Version": version,
                },
                timeout=(CONNECT_SECONDS, READ_SECONDS),
            )
        except _TROUBLE as error:
            said = reason(error=error, policy=self._policy, seconds=READ_SECONDS)
            raise TryLater(f"no answer from the store: {said}") from error
        return answer


def _refusal(answer: requests.Response) -> str:
    """Return why a body was refused for ever, or nothing; raise TryLater for what may pass."""
    status = answer.status_code
    if 200 <= status < 300:
        return ""
    # Bytes, not text: guessing how a whole answer is encoded takes seconds.
    words = answer.content[:SAID_BYTES].decode(errors="replace").replace("\0", "").split()
    said = f"HTTP {status}: {' '.join(words)}"
    # A credential that is not accepted is put right by an admin: what waits is not lost by it.
    if status in {401, 403, 404, 408, 429} or not 400 <= status < 500:
        raise TryLater(said)
    return said
