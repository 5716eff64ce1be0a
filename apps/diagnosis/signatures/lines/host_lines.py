"""Which signatures tell what only a host's kernel or its BMC can know, wherever the line stands,
and which tell what only a program says: a kernel's line is none of theirs."""

import re
from functools import lru_cache
from typing import Final

from apps.diagnosis.model import LogLine, Mark, Stream
from apps.diagnosis.signatures.load import load_catalog
from apps.diagnosis.signatures.marks import marked

FAMILIES: Final = frozenset({
    "block.toml", "bmc.toml", "kernel.toml", "lustre.toml", "machine_check.toml", "memory.toml",
    "mlx5.toml", "nfs.toml", "nvrm.toml", "nvswitch.toml", "parts_kernel.toml", "pcie.toml",
})  # fmt: skip
# Their words ("…Error: …", "Connection refused", "Killed") stand in kernels' lines, too.
OF_PROGRAMS: Final = frozenset({"python.toml", "words_program.toml", "words_socket.toml"})
ALSO_OF_PROGRAMS: Final = marked(Mark.OF_PROGRAMS)
# What a journal puts before a program's line, in a file that holds the kernel's lines besides.
TAG: Final = re.compile(r"[\w./@-]{1,128}\[\d{1,10}\]: ", re.ASCII)


@lru_cache(maxsize=1)
def host_signatures() -> frozenset[str]:
    """Return the signatures of lines that a program can only repeat."""
    return frozenset(key for key, one in load_catalog().items() if one.file in FAMILIES)


@lru_cache(maxsize=1)
def program_signatures() -> frozenset[str]:
    """Return the signatures of lines that only a program prints."""
    found = {key for key, one in load_catalog().items() if one.file in OF_PROGRAMS}
    return frozenset(found | ALSO_OF_PROGRAMS)


def is_of_kernel(*, line: LogLine) -> bool:
    """Say whether the kernel itself printed a line."""
    return line.stream is Stream.KERNEL and TAG.match(line.text) is None
