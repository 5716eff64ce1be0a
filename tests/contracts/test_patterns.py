"""Every signature, whoever adds it: one TOML block, safe to run on hostile text, and not stolen
from."""
# ruff: noqa: E501  lines of logs keep their length

import csv
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import re2
import yaml

from apps.diagnosis.model import Mark
from apps.diagnosis.signatures import load
from apps.diagnosis.signatures.load import BadSignature, Signature, load_catalog, load_folder
from apps.diagnosis.signatures.marks import marked, sole
from apps.diagnosis.signatures.match import SignatureMatch, SignatureMatcher, default_matcher
from tests.diagnosis.signatures.attacks import attacks, mixed
from tests.diagnosis.signatures.hostile import LINE_BYTES, hostile_lines
from tests.diagnosis.signatures.linearity import is_linear, is_quick
from tests.shared_files import SHARED, needs_shared

CATALOG = load_catalog()
MIXED = 4  # lines of a pattern


def matched(line: str) -> SignatureMatch | None:
    """Return what a line without a prefix says."""
    return default_matcher().match(line=line, text=lambda: line)


def test_every_pattern_compiles_in_re2() -> None:
    groups = {key: re2.compile(each.source).groups for key, each in CATALOG.items()}
    assert groups == {key: each.pattern.groups for key, each in CATALOG.items()}


def test_an_example_is_matched_and_nothing_steals_it() -> None:
    told = [(key, line) for key, each in CATALOG.items() for line in each.examples]
    hits = {(key, line): matched(line) for key, line in told}

    assert {key for key, _ in told} == set(CATALOG)
    assert [
        (key, line)
        for key, line in told
        if not any(literal in line for literal in CATALOG[key].literals)
    ] == []
    assert {
        told: hit and hit.signature.key
        for told, hit in hits.items()
        if hit is None or hit.signature.key != told[0]
    } == {}


def test_no_counterexample_is_matched() -> None:
    told = [(key, line) for key, each in CATALOG.items() for line in each.counterexamples]
    hits = [(key, matched(line), line) for key, line in told]
    assert told
    assert [(key, line) for key, hit, line in hits if hit and hit.signature.key == key] == []


def lines_against(signature: Signature) -> Iterator[str]:
    """Yield lines that are hostile to a signature."""
    yield from hostile_lines(signature=signature)
    yield from attacks(pattern=signature.source, size=LINE_BYTES, flags=re.ASCII)
    yield from mixed(pattern=signature.source, size=LINE_BYTES, count=MIXED, flags=re.ASCII)


@pytest.mark.sweep
def test_a_pattern_is_quick_on_lines_made_against_it() -> None:
    wrong = [
        (key, line[:120])
        for key, signature in CATALOG.items()
        for line in lines_against(signature)
        if len(line) > LINE_BYTES or not is_quick(look=signature.pattern.search, text=line)
    ]
    assert wrong == []


def test_the_lines_made_against_a_pattern_are_those_that_slow_an_engine_that_backtracks() -> None:
    source = CATALOG["library-symbol-missing"].source
    slow = re.compile(source, re.ASCII)
    made = attacks(pattern=source, size=LINE_BYTES, flags=re.ASCII)
    assert any(not is_linear(look=slow.search, text=line) for line in made)


def test_every_signature_says_what_it_means_in_words() -> None:
    assert [key for key, each in CATALOG.items() if not 0 < len(each.meaning) < 160] == []


@needs_shared
def test_the_causes_of_every_signature_are_known() -> None:
    with (SHARED / "reference/causes.csv").open(newline="") as table:
        known = {row["cause"] for row in csv.DictReader(table)}
    assert {cause for each in CATALOG.values() for cause in each.causes} <= known


@needs_shared
def test_every_reference_signature_is_here() -> None:
    reference = yaml.load(
        (SHARED / "reference/signatures/signatures.yaml").read_text(), Loader=yaml.CSafeLoader
    )
    assert {entry["id"] for entry in reference} <= set(CATALOG)


def test_adding_a_signature_touches_one_block_of_one_file(tmp_path: Path) -> None:
    _copy_of_the_catalog(tmp_path)
    (tmp_path / "house.toml").write_text(
        "[house-leak]\nrole = 'initiating'\nlayer = 'host'\nseverity = 'fatal'\nmeaning = 'Water came in'\n"
        "literals = ['coolant leak']\npattern = 'coolant leak at (?P<place>\\w{1,20})'\ncauses = ['node-unreachable']\n"
        "examples = ['bmc: coolant leak at rack7']\n"
    )
    catalog = load_folder(folder=tmp_path)
    hit = SignatureMatcher(catalog=catalog).match(
        line="x coolant leak at rack7", text=lambda: "coolant leak at rack7"
    )
    assert hit is not None
    assert (hit.signature.key, hit.fields) == ("house-leak", {"place": "rack7"})


def test_no_two_signatures_of_the_catalog_tie() -> None:
    assert load_folder(folder=load.FOLDER) == CATALOG


def test_a_tie_is_an_error_that_names_both(tmp_path: Path) -> None:
    block = "role = 'context'\nseverity = 'info'\nliterals = ['same words']\npattern = 'same words'\nexamples = ['same words']\n"
    (tmp_path / "one.toml").write_text(f"[first]\n{block}\n[second]\n{block}")
    with pytest.raises(BadSignature, match=r"one\.toml: second and one\.toml: first tie"):
        load_folder(folder=tmp_path)


def test_an_unknown_field_is_an_error_that_names_file_and_entry(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text("[first]\nrole = 'context'\ncolour = 'red'\n")
    with pytest.raises(BadSignature, match=r"one\.toml: first: unknown fields colour"):
        load_folder(folder=tmp_path)


@pytest.mark.parametrize(
    ("said", "refusal"),
    [
        ("marks = ['stp']", "there is no mark 'stp'; did you mean `step`"),
        ("marks = 'step'", "marks is a list"),
        (
            "parts = ['off-bus.lin']",
            r"there is no part 'off-bus\.lin'; did you mean `off-bus\.line`",
        ),
        ("minor = 'frst'", "minor 'frst', which is no signature; did you mean `first`"),
    ],
)
def test_an_unknown_word_of_a_list_is_refused_with_the_nearest_one(
    tmp_path: Path, said: str, refusal: str
) -> None:
    (tmp_path / "one.toml").write_text(
        "[first]\nrole = 'progress'\nseverity = 'info'\nliterals = ['abc']\npattern = 'abc'\n"
        f"examples = ['abc']\n{said}\n"
    )
    with pytest.raises(BadSignature, match=rf"one\.toml: first: {refusal}"):
        load_folder(folder=tmp_path)


def test_a_line_that_ends_what_nobody_knows_is_refused_with_the_nearest_one(tmp_path: Path) -> None:
    block = "role = 'context'\nseverity = 'info'\nliterals = ['{0}']\npattern = '{0}'\nexamples = ['{0}']\n"
    (tmp_path / "one.toml").write_text(
        f"[first-lost]\n{block.format('abc')}[second]\n{block.format('xyz')}ends = ['first-lst']\n"
    )
    with pytest.raises(BadSignature, match=r"second: ends 'first-lst'.*did you mean `first-lost`"):
        load_folder(folder=tmp_path)


def test_a_word_that_several_bear_makes_no_event() -> None:
    assert sole(Mark.LOST_LOSS).key in marked(Mark.LOST_LOSS)
    with pytest.raises(BadSignature, match="step is borne by one signature, not by"):
        sole(Mark.STEP)


def test_a_bad_pattern_is_an_error_that_names_file_and_entry(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(
        "[first]\nrole = 'context'\nseverity = 'info'\nliterals = ['abc']\npattern = '(abc'\nexamples = ['abc']\n"
    )
    signature = load_folder(folder=tmp_path)["first"]
    with pytest.raises(BadSignature, match=r"one\.toml: first: missing \)"):
        signature.pattern.search("")


def _copy_of_the_catalog(folder: Path) -> None:
    for path in load.FOLDER.glob("*.toml"):
        (folder / path.name).write_text(path.read_text("utf-8"), "utf-8")
        assert tomllib.loads(path.read_text("utf-8"))
