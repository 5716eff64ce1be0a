"""The cache as JSON: what lies in Valkey is data, and stays data whoever put it there.

Django's own serializer unpickles what it reads, so who can write to Valkey could run code here.
What is no JSON of ours (a pickle of a former version, or a planted one) counts as absent.
"""

import json
from collections.abc import Iterable
from datetime import timedelta
from typing import Any, Final

from django.core.cache.backends.redis import RedisCache, RedisCacheClient, RedisSerializer

# Longer than anything that is kept; JSON nests no deeper than Python's own stack by itself.
LONGEST_BYTES: Final = 2**20
_ABSENT: Final = object()
Key = str | bytes | memoryview


class JsonSerializer(RedisSerializer):
    """Whole numbers as they are, so that Valkey can count; all else as JSON."""

    def dumps(self, obj: Any) -> Any:
        """Return what is stored; raise TypeError for what JSON can't say."""
        if type(obj) is int:
            return obj
        return json.dumps(obj, allow_nan=False).encode()

    def loads(self, data: Any) -> Any:
        """Return what was stored, or the mark of what is absent."""
        if len(data) > LONGEST_BYTES:
            return _ABSENT
        try:
            return json.loads(data, parse_constant=_refused)
        except (ValueError, RecursionError):
            return _ABSENT


def _refused(constant: str) -> Any:
    raise ValueError(constant)  # NaN and Infinity are no JSON


class JsonClient(RedisCacheClient):
    """Django's client, for which unreadable is absent."""

    def __init__(self, servers: list[str], **options: Any) -> None:
        super().__init__(servers, serializer=JsonSerializer(), **options)

    def get(self, key: Key, default: Any) -> Any:
        """Return a value, or the default where there is none that can be read."""
        found = super().get(key, _ABSENT)
        return default if found is _ABSENT else found

    def get_many(self, keys: Iterable[Key]) -> dict[Key, Any]:
        """Return the values that are there and can be read."""
        found = super().get_many(keys)
        return {key: value for key, value in found.items() if value is not _ABSENT}

    def add(self, key: Key, value: Any, timeout: int | timedelta | None) -> bool:
        """Keep a value unless one is there; what can't be read is none."""
        if super().add(key, value, timeout):
            return True
        if self.get(key, _ABSENT) is not _ABSENT:
            return False
        self.delete(key)
        return bool(super().add(key, value, timeout))


class JsonCache(RedisCache):
    """Django's Redis cache, holding JSON alone."""

    def __init__(self, server: str | list[str], params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._class = JsonClient

    def clear(self) -> None:
        """Forget what the cache holds: the queue, which lies beside it, stays."""
        client = self._cache.get_client(None, write=True)
        for key in client.scan_iter(match=f"{self.key_prefix}:*", count=1000):
            client.delete(key)
