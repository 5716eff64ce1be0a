#!/usr/bin/env python
"""Run a management command of the portal."""

from apps.operations.command_line.main import run

if __name__ == "__main__":
    run()
