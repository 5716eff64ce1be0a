"""A signed answer as a file: what was changed, forged or swapped is told."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from apps.sharing.signing.answer_file import (
    BadAnswer,
    canonical,
    file_of,
    fingerprint_of,
    read_answer,
)
from tests.apps.sharing.signing.answers import KEY, OTHER, PUBLIC, TOLD, made


def changed(how: Callable[[dict[str, Any]], object]) -> bytes:
    file = json.loads(made())
    how(file)
    return json.dumps(file).encode()


def test_what_was_signed_reads_as_it_was_however_it_is_spelt() -> None:
    spelt = json.dumps(json.loads(made()), indent=7, ensure_ascii=True).encode()

    assert read_answer(made()).document == read_answer(spelt).document == TOLD


@pytest.mark.parametrize("name", sorted(TOLD))
def test_no_field_can_be_changed_or_taken_out(name: str) -> None:
    def other(file: dict[str, Any]) -> None:
        file["answer"][name] = "other"

    for how in (other, lambda file: file["answer"].pop(name)):
        with pytest.raises(BadAnswer, match="signature does not fit"):
            read_answer(changed(how))


def test_nothing_can_be_added() -> None:
    with pytest.raises(BadAnswer, match="signature does not fit"):
        read_answer(changed(lambda file: file["answer"].update(note="all is well")))
    with pytest.raises(BadAnswer, match="nothing else"):
        read_answer(changed(lambda file: file.update(note="all is well")))


def test_a_key_of_somebody_else_does_not_sign_for_the_one_that_is_named() -> None:
    with pytest.raises(BadAnswer, match="signature does not fit"):
        read_answer(made(key=OTHER))
    with pytest.raises(BadAnswer, match="another key"):
        read_answer(made(key=OTHER, public=OTHER.public_key().public_bytes_raw()))


def test_what_a_key_signed_for_another_purpose_is_no_answer() -> None:
    document = canonical(TOLD)
    bare = file_of(document=document, signature=KEY.sign(document), public_key=PUBLIC)

    with pytest.raises(BadAnswer, match="signature does not fit"):
        read_answer(bare)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b"[" * 100_000,
        b'{"schema": "faultline.answer/2"}',
        made().replace(b'"schema"', b'"schema": "faultline.answer/1", "schema"', 1),
        made().replace(b'"simulated": false', b'"simulated": NaN'),
        changed(lambda file: file.update(signature="AAAA")),
        changed(lambda file: file.update(public_key=base64.b64encode(b"\x00" * 32).decode())),
        changed(lambda file: file.update(public_key=None)),
    ],
)
def test_what_is_no_answer_is_refused(data: bytes) -> None:
    with pytest.raises(BadAnswer):
        read_answer(data)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    place = tmp_path / "answer.json"
    place.write_bytes(made())
    return place


def test_the_command_says_what_is_stated_and_by_which_key(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("verify_answer", str(file))

    told = capsys.readouterr().out
    assert "ANS-1: Aurora to Northwind 노스" in told
    assert "- No errors of GPUs [holds, all of it was covered]" in told
    assert f"Signed with the key {fingerprint_of(PUBLIC)}" in told
    assert "compare it with the one that the holder shows" in told


@pytest.mark.parametrize(
    "options",
    [
        {"key": fingerprint_of(PUBLIC).upper()},
        {"key": base64.b64encode(PUBLIC).decode()},
        {"request": "REQ-1", "incident": "INC-1"},
    ],
)
def test_the_command_compares_with_what_is_expected(file: Path, options: dict[str, str]) -> None:
    call_command("verify_answer", str(file), **options)


@pytest.mark.parametrize(
    "options",
    [{"key": "0" * 64}, {"request": "REQ-2"}, {"incident": "INC-2"}],
)
def test_an_answer_to_something_else_ends_with_1(
    file: Path, options: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        call_command("verify_answer", str(file), **options)

    assert ended.value.code == 1
    assert "it is " in capsys.readouterr().err


def test_a_signed_document_of_another_form_ends_with_1(tmp_path: Path) -> None:
    place = tmp_path / "answer.json"
    place.write_bytes(made({"key": fingerprint_of(PUBLIC), "findings": 7}))

    with pytest.raises(SystemExit) as ended:
        call_command("verify_answer", str(place))

    assert ended.value.code == 1


def test_a_file_that_is_not_there_ends_with_2(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as ended:
        call_command("verify_answer", str(tmp_path / "none.json"))

    assert ended.value.code == 2
