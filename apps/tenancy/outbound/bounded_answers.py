"""Bodies of answers, read within a size and a time."""

import time
from collections.abc import Iterator
from typing import Final

import requests
from urllib3.exceptions import (
    DecodeError,
    HTTPError,
    ReadTimeoutError,
)

CHUNK_BYTES: Final = 256 * 1024


class AnswerTooBig(Exception):
    """The other side sent more than was agreed to read."""


class AnswerTooSlow(Exception):
    """The other side did not finish within the time that was given."""


def read_limited(*, response: requests.Response, max_bytes: int, seconds: float) -> bytes:
    """Return the decoded body of a streamed response; raise if it is too big or too slow."""
    ends_at = time.monotonic() + seconds
    body = bytearray()
    for chunk in _arriving(response):
        body += chunk
        if len(body) > max_bytes:
            response.close()
            raise AnswerTooBig(f"more than {max_bytes / 2**20:.0f} MiB")
        if time.monotonic() > ends_at:
            response.close()
            raise AnswerTooSlow(f"not complete after {seconds:.0f} s")
    return bytes(body)


def _arriving(response: requests.Response) -> Iterator[bytes]:
    """Yield what has arrived, however little: who waits for a whole chunk of a trickle never ends.

    Raises what requests raises for a body that breaks off.
    """
    try:
        while chunk := response.raw.read1(CHUNK_BYTES, decode_content=True):
            yield chunk
    except ReadTimeoutError as error:
        raise requests.exceptions.ReadTimeout(error) from error
    except DecodeError as error:
        raise requests.exceptions.ContentDecodingError(error) from error
    except HTTPError as error:
        raise requests.exceptions.ConnectionError(error) from error
