"""Which signatures tell what only a host's kernel or its BMC can know, wherever the line stands."""

from functools import lru_cache
from typing import Final

from apps.diagnosis.signatures.load import load_catalog

FAMILIES: Final = frozenset({
    "block.toml", "bmc.toml", "kernel.toml", "lustre.toml", "machine_check.toml", "memory.toml",
    "mlx5.toml", "nfs.toml", "nvrm.toml", "nvswitch.toml", "pcie.toml",
})  # fmt: skip


@lru_cache(maxsize=1)
def host_signatures() -> frozenset[str]:
    """Return the signatures of lines that a program can only repeat."""
    return frozenset(key for key, one in load_catalog().items() if one.file in FAMILIES)
