"""Copy scripts out of installed packages, so that Python and the browser agree on versions."""

import gzip
from importlib.util import find_spec
from pathlib import Path

COPIES = {
    "plotly.min.js": ("plotly", "package_data/plotly.min.js"),
}
TARGET = Path(__file__).resolve().parent.parent / "static" / "vendor"


def copy_all(*, target: Path = TARGET) -> None:
    """Fill static/vendor, each file also packed for the browsers that take it so."""
    target.mkdir(parents=True, exist_ok=True)
    for name, (package, inside) in COPIES.items():
        found = find_spec(package)
        if found is None or found.origin is None:
            raise SystemExit(f"{package} is not installed: run `make setup`")
        body = (Path(found.origin).parent / inside).read_bytes()
        if (target / name).exists() and (target / name).read_bytes() == body:
            continue
        (target / name).write_bytes(body)
        with gzip.open(target / f"{name}.gz", "wb") as packed:
            packed.write(body)


if __name__ == "__main__":
    copy_all()
