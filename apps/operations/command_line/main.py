"""The way in of `faultline` and `manage.py`: quick where files are read, Django's otherwise."""

import gc
import sys
from importlib import import_module
from signal import SIGINT
from typing import Any

from apps.diagnosis.spelling import in_lines
from apps.operations.command_line.commands import PLAIN, QUICK, SHELLS, overview
from apps.operations.command_line.program_name import NAME, called, know_settings
from apps.operations.command_line.suggestions import QuickParser

HELPS = frozenset({"-h", "--help"})
UNUSABLE = 2
INTERRUPTED = 128 + SIGINT


def main() -> None:
    """Run `faultline …`."""
    words = sys.argv[1:]
    know_settings()
    if not words or words[0] in HELPS:
        sys.stdout.write(overview(program=NAME) + "\n")
    elif words == ["--version"]:
        from importlib import metadata  # noqa: PLC0415  only here

        sys.stdout.write(f"{NAME} {metadata.version(NAME)}\n")
    elif words[0] == "completion":
        _complete(words[1:])
    else:
        run()


def run() -> None:
    """Run one command, or whatever Django makes of the words; Ctrl-C ends it without a word.

    A setting that is wrong is said in one sentence, whatever the command was.
    """
    try:
        _run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except Exception as error:
        if type(error).__name__ != "ImproperlyConfigured":  # Django's is not loaded for files
            raise
        sys.exit(in_lines(text=str(error)))


def _run() -> None:
    know_settings()
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name in PLAIN:
        _plain(name)
        return
    from django.core.management import ManagementUtility  # noqa: PLC0415  not for plain ones

    from apps.operations.command_line.spelling_parser import use_everywhere  # noqa: PLC0415  the same

    use_everywhere()
    utility = ManagementUtility([called(), *sys.argv[1:]])
    utility.prog_name = called()
    utility.execute()


def _plain(name: str) -> None:
    """Run a command that needs neither settings nor models."""
    parser = QuickParser(prog=f"{called()} {name}")
    parser.add_argument("--no-color", action="store_true", help="print without colors")
    if name in QUICK:
        options = import_module(f"apps.offline.options.{name}")
        parser.description, declare = options.HELP, options.add_options
    else:
        parser.description, declare = _command(name).help, _command(name).add_arguments
    declare(parser)
    given = vars(parser.parse_args(sys.argv[2:]))
    _execute(_command(name), given)


def _command(name: str) -> Any:
    """Return a command. What is imported for it stays: searching that for garbage, again and again
    while it grows, would take a fifth of the start."""
    gc.disable()
    try:
        return import_module(f"apps.offline.management.commands.{name}").Command()
    finally:
        gc.freeze()
        gc.enable()


def _execute(command: Any, given: dict[str, Any]) -> None:
    from django.core.management.base import CommandError  # noqa: PLC0415  not for help

    try:
        command.execute(**given, force_color=False, skip_checks=True)
    except CommandError as error:
        command.stderr.write(f"{type(error).__name__}: {error}")
        sys.exit(error.returncode)


def _complete(words: list[str]) -> None:
    from apps.operations.command_line.completion import script  # noqa: PLC0415  only here

    if len(words) == 1 and words[0] in SHELLS:
        sys.stdout.write(script(shell=words[0]))
    elif words and words[0] in HELPS:
        sys.stdout.write(f"usage: {NAME} completion {{{','.join(SHELLS)}}}\n\n{HOW}\n")
    else:
        sys.stderr.write(f"name one shell: {', '.join(SHELLS)}\n")
        sys.exit(UNUSABLE)


HOW = f"""Prints what the shell needs to complete the commands and their options:

  bash   eval "$({NAME} completion bash)"                in ~/.bashrc
  zsh    eval "$({NAME} completion zsh)"                 in ~/.zshrc, after compinit
  fish   {NAME} completion fish > ~/.config/fish/completions/{NAME}.fish"""
