"""How the wheel is built: pages and their files, which a checkout has beside the packages, go in.

Everything else about the package stands in pyproject.toml.
"""

import sys
from pathlib import Path
from shutil import copytree, ignore_patterns

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
BESIDE = ("templates", "static")


class WithPages(build_py):
    """Copy templates and static files into `portal`, where Django looks for those of an app."""

    def run(self) -> None:
        """Build as usual, then add them, with the scripts that come from other packages."""
        super().run()
        if self.editable_mode:
            return
        sys.path.insert(0, str(HERE))
        from portal.vendor import copy_all  # noqa: PLC0415  the path is known by now

        inside = Path(self.build_lib) / "portal"
        for name in BESIDE:
            copytree(
                HERE / name, inside / name, dirs_exist_ok=True, ignore=ignore_patterns("vendor")
            )
        copy_all(target=inside / "static" / "vendor")


setup(cmdclass={"build_py": WithPages})
