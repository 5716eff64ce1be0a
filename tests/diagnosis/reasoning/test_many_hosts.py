"""A log that names very many hosts costs in proportion to them, not to their pairs."""

from unittest.mock import patch

from apps.diagnosis.model import Device
from apps.diagnosis.reasoning.verdict.culprits import same_parts


def test_parts_of_other_hosts_are_not_compared() -> None:
    devices = [Device(kind="node", host=f"gpu{number}") for number in range(300)]
    with patch.object(same_parts, "_is_same", wraps=same_parts._is_same) as compared:
        assert same_parts.merge_parts([*devices, *devices]) == devices
    assert compared.call_count <= 2 * len(devices)
