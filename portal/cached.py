"""The cache as JSON: what lies in Valkey is data, and stays data whoever put it there.

Django's own serializer unpickles what it reads, so who can write to Valkey could run code here.
What is no JSON of ours (a pickle of a former version, or a planted one) counts as absent.
"""

import json
from collections.abc import Iterable
from typing import Any, Final

from django.core.cache.backends.redis import RedisCache, RedisCacheClient

# Longer than anything that is kept; JSON nests no deeper than Python's own stack by itself.
LONGEST_BYTES: Final = 2**20
_ABSENT: Final = object()


class JsonSerializer:
    """Whole numbers as they are, so that Valkey can count; all else as JSON."""

    def dumps(self, value: Any) -> int | bytes:
        """Return what is stored; raise TypeError for what JSON can't say."""
        if type(value) is int:
            return value
        return json.dumps(value, allow_nan=False).encode()

    def loads(self, data: bytes) -> Any:
        """Return what was stored, or the mark of what is absent."""
        if len(data) > LONGEST_BYTES:
            return _ABSENT
        try:
            return json.loads(data, parse_constant=_refused)
        except (ValueError, RecursionError):
            return _ABSENT


def _refused(constant: str) -> Any:
    raise ValueError(constant)  # NaN and Infinity are no JSON


class JsonClient(RedisCacheClient):  # type: ignore[misc]  # Django's has no types
    """Django's client, for which unreadable is absent."""

    def __init__(self, servers: list[str], **options: Any) -> None:
        super().__init__(servers, serializer=JsonSerializer, **options)

    def get(self, key: str, default: Any) -> Any:
        """Return a value, or the default where there is none that can be read."""
        found = super().get(key, _ABSENT)
        return default if found is _ABSENT else found

    def get_many(self, keys: Iterable[str]) -> dict[str, Any]:
        """Return the values that are there and can be read."""
        found = super().get_many(keys)
        return {key: value for key, value in found.items() if value is not _ABSENT}

    def add(self, key: str, value: Any, timeout: int | None) -> bool:
        """Keep a value unless one is there; what can't be read is none."""
        if super().add(key, value, timeout):
            return True
        if self.get(key, _ABSENT) is not _ABSENT:
            return False
        self.delete(key)
        return bool(super().add(key, value, timeout))

    def clear_prefix(self, prefix: str) -> None:
        """Forget the keys of a prefix: the queue, which lies beside them, stays."""
        client = self.get_client(None, write=True)
        for key in client.scan_iter(match=f"{prefix}*", count=1000):
            client.delete(key)


class JsonCache(RedisCache):  # type: ignore[misc]  # Django's has no types
    """Django's Redis cache, holding JSON alone."""

    def __init__(self, server: str | list[str], params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = JsonClient

    def clear(self) -> None:
        """Forget what the cache holds, and nothing else."""
        self._cache.clear_prefix(f"{self.key_prefix}:")
