"""Lines of a log that tell of something."""


def xid(number: int, host: str = "gpu001") -> str:
    """Return a kernel line that is an event, different for each number."""
    return (
        f"2026-11-21T01:{number // 60:02}:{number % 60:02}+00:00 {host} kernel: "
        f"NVRM: Xid (PCI:0000:{number + 16:02x}:00): 79, pid={number}, GPU has fallen off the bus."
    )


LINES = [xid(number) for number in range(30)]
