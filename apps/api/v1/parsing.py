"""Bodies of requests: JSON of bounded size and depth."""

from collections.abc import Mapping
from io import BytesIO
from typing import IO, Any

from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import JSONParser

MAX_BYTES = 1 * 2**20


class BodyTooBig(APIException):
    """More than anything this interface takes."""

    status_code = 413
    default_detail = f"the body is larger than {MAX_BYTES} bytes"
    default_code = "too_big"


class BoundedJSONParser(JSONParser):
    """Read no more than a megabyte, however it is sent."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the value; raise ParseError or BodyTooBig."""
        body = stream.read(MAX_BYTES + 1)
        if len(body) > MAX_BYTES:
            raise BodyTooBig
        if not body:  # in chunks, of which there were none
            return {}
        try:
            value = super().parse(BytesIO(body), media_type, parser_context)
        except RecursionError as error:
            raise ParseError("nested too deeply") from error
        if b"\\u0000" in body or b"\x00" in body:
            raise ParseError("NUL is no text")
        return value
