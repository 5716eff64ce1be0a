"""Check a signed answer and say what it states. Needs no database and no settings."""

import base64
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand

from apps.diagnosis.spelling import in_lines
from apps.sharing.signing.answer_file import MOST_BYTES, AnswerFile, BadAnswer, read_answer

EXIT_CHANGED, EXIT_UNUSABLE = 1, 2


class Command(BaseCommand):
    """The door of `manage.py verify_answer`."""

    help = "Check that a signed answer to a request is as it was signed, and say what it states."
    requires_system_checks = []  # noqa: RUF012  Django declares it so; no settings, no database
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the options."""
        parser.add_argument("file", help="the answer as it was downloaded")
        parser.add_argument(
            "--key",
            metavar="KEY",
            help="the holder's public key, or its fingerprint, as it shows it",
        )
        parser.add_argument("--request", metavar="ID", help="the request that it has to answer")
        parser.add_argument("--incident", metavar="ID", help="the incident that it has to be of")

    def handle(self, **options: Any) -> None:
        """Run and leave with 0, 1 for an answer that is not what it should be, or 2."""
        try:
            with Path(options["file"]).open("rb") as source:
                answer = read_answer(source.read(MOST_BYTES + 1))
            _compare(answer, options)
            told = list(_summary(answer))
        except BadAnswer as error:
            self._end(f"{options['file']}: {error}", EXIT_CHANGED)
        except OSError as error:
            self._end(f"{options['file']}: {error.strerror}", EXIT_UNUSABLE)
        for line in told:
            self.stdout.write(in_lines(text=line))
        if not options["key"]:
            self.stdout.write(
                "Whose key that is, this file can't tell: compare it with the one that the holder"
                " shows under Sharing, or give it with --key."
            )

    def _end(self, text: str, code: int) -> NoReturn:
        self.stderr.write(in_lines(text=text))
        sys.exit(code)


def _compare(answer: AnswerFile, options: dict[str, Any]) -> None:
    wanted = str(options["key"] or "").strip()
    names = {answer.fingerprint, base64.b64encode(answer.public_key).decode()}
    if wanted and wanted not in names and wanted.lower() not in names:
        raise BadAnswer("it is signed with another key than the one given")
    for name in ("request", "incident"):
        if options[name] and options[name] != answer.document.get(name):
            raise BadAnswer(f"it is of another {name}: {answer.document.get(name)}")


def _summary(answer: AnswerFile) -> Iterator[str]:
    """Yield what it states, in lines. Raises BadAnswer for a document of another form."""
    told = answer.document
    try:
        window, findings = told["window"], told["findings"]
        yield f"{told['id']}: {told['holder']['name']} to {told['asker']['name']}"
        yield f"Request {told['request']} ({told['data']}), incident {told['incident']}"
        yield f"From {window['from']} to {window['to']}, computed at {told['at']}"
        if told["simulated"]:
            yield "Simulated data."
        for each in findings:
            whole = "all of it was covered" if each["coverage"]["is_whole"] else "with gaps"
            yield f"- {each['text']} [{each['outcome']}, {whole}]"
    except (KeyError, TypeError):
        raise BadAnswer("it is signed, and no answer that this version can read") from None
    yield f"Signed with the key {answer.fingerprint}"
