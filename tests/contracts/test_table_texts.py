"""What the tables of knowledge say exists in Korean: each text of their files, none forgotten."""

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from django.utils.translation import gettext, override

from apps.diagnosis.causes.load import NO_CAUSES, load_causes
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import ReadSchedule
from apps.diagnosis.signatures.load import load_catalog
from tests.contracts.catalog import ROOT, written

DIAGNOSIS = ROOT / "apps/diagnosis"
SAID = {entry.text: entry.said for entry in written() if not entry.is_fuzzy}
# What is only a name, or ends as its English does.
HANGUL = range(0xAC00, 0xD7A4)


def _tables(folder: str) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    for path in sorted((DIAGNOSIS / folder).glob("*.toml")):
        yield path, tomllib.loads(path.read_text("utf-8"))


def _of_signatures() -> Iterator[str]:
    for _path, table in _tables("signatures"):
        for block in table.values():
            yield block["meaning"]
            for meanings in block.get("says", {}).values():
                yield from meanings.values()


def _of_causes() -> Iterator[str]:
    for path, table in _tables("causes"):
        for block in table.values() if path.name not in NO_CAUSES else ():
            yield from (block["means"], block["action"])
            yield from (each["text"] for each in block["symptoms"])
            yield from (each["text"] for each in block.get("actions", ()))
            yield from (each["would"] for each in block["settles"])


def _of_metrics() -> Iterator[str]:
    for signal in catalog().signals.values():
        if signal.read is not ReadSchedule.KNOWN:
            yield signal.title


TEXTS = {"signatures": _of_signatures, "causes": _of_causes, "metrics": _of_metrics}


@pytest.mark.parametrize("table", TEXTS)
def test_every_text_of_a_table_has_its_korean(table: str) -> None:
    texts = {text for text in TEXTS[table]() if text}

    assert len(texts) > 100
    assert sorted(text for text in texts if not SAID.get(text)) == []


def _is_korean(text: str) -> bool:
    return any(ord(letter) in HANGUL for letter in text)


@pytest.mark.parametrize("table", TEXTS)
def test_what_is_said_in_korean_is_korean(table: str) -> None:
    assert [text for text in TEXTS[table]() if text and not _is_korean(SAID[text])] == []


def test_gettext_says_them_to_a_korean_reader_and_leaves_english_as_it_is() -> None:
    meaning = load_catalog()["nvrm-xid-79"].meaning
    means = load_causes()["gpu-off-bus"].means
    with override("ko"):
        korean = [gettext(meaning), gettext(means)]

    assert all(map(_is_korean, korean))
    assert [gettext(meaning), gettext(means)] == [meaning, means]
