"""How the wheel is built: pages and their files, which a checkout has beside the packages, go in.

Everything else about the package stands in pyproject.toml.
"""

from pathlib import Path
from shutil import copytree

from setuptools import setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
BESIDE = ("templates", "static")


class WithPages(build_py):
    """Copy templates and static files into `portal`, where Django looks for those of an app."""

    def run(self) -> None:
        """Build as usual, then add them."""
        super().run()
        if self.editable_mode:
            return
        inside = Path(self.build_lib) / "portal"
        for name in BESIDE:
            copytree(HERE / name, inside / name, dirs_exist_ok=True)


setup(cmdclass={"build_py": WithPages})
