"""Paths → as many folders, the same ending: `/mnt/x/solar/step-7.pt` → `/p-…/p-…/p-…/f-….pt`."""

import re
from typing import Final

from apps.sharing.redaction.draft import CLOSE, MARK, MARK_BYTES, MARKS, OPEN, SEAM, Groups
from apps.sharing.redaction.hiding import Hiding
from apps.sharing.redaction.kinds import CUT_MARK, FILE_PREFIX, Kind
from apps.sharing.redaction.step_patterns import StepPattern
from apps.sharing.redaction.vocabulary import load_vocabulary

# No letter of a mark stands for itself in a name.
PART: Final = rf"""(?:{MARK}|[^\s/"'<>|;,()\[\]{{}}:*?`&\\{OPEN}{CLOSE}])"""
ENDINGS: Final = "|".join(load_vocabulary().file_endings)
ABSOLUTE: Final = StepPattern(rf"(^|[^\w./)~-])(~[\w.-]{{0,32}})?((?:/+{PART}+)+/*)")
RELATIVE: Final = StepPattern(rf"(^|[\s\"'=(\[:,{SEAM}])((?:\.{{1,2}}/)*)((?:{PART}+/+)+{PART}*)")
# Libraries, segments of shared memory, dumps: named by programs.
PUBLIC_FILE: Final = re.compile(
    r"lib[\w.+-]{1,60}\.so[\w.]{0,20}|(?:nccl-|psm_|cuda\.shm\.)[\w.-]{1,40}|core(?:\.\d{1,9})?",
    re.ASCII,
)
# A file whose name is hidden already.
HIDDEN_FILE: Final = re.compile(rf"({MARK})\.[A-Za-z0-9]{{1,11}}")
ENDING: Final = re.compile(rf"\.(?:{ENDINGS})[.,]*$", re.IGNORECASE)
SLASHES: Final = re.compile(r"(/+)")
DEEPEST: Final = 4  # parts of what a public path begins with
TRAIL: Final = b".,"


def hide_paths(hiding: Hiding) -> None:
    """Hide folders and files."""
    if b"/" not in hiding.draft.data or not hiding.profile.hides(Kind.PATH):
        return

    def absolute(found: Groups) -> bytes | None:
        path = found[3].rstrip(TRAIL)
        text = hiding.draft.shown(found[2] + path)
        if not any(map(str.isalpha, text)):
            return None
        return found[1] + hide_path(hiding, found[2] + path) + found[3][len(path) :]

    def relative(found: Groups) -> bytes | None:
        path = found[3].rstrip(TRAIL)
        text = hiding.draft.shown(path)
        is_path = bool(found[2]) or ENDING.search(text) or MARK_BYTES.match(path)
        if not is_path or text.startswith(hiding.vocabulary.public_trees):
            return None
        return found[1] + found[2] + hide_path(hiding, path) + found[3][len(path) :]

    hiding.draft.replace(ABSOLUTE, absolute)
    hiding.draft.replace(RELATIVE, relative)


def hide_path(hiding: Hiding, path: bytes) -> bytes:
    """Return a path, which may hold marks itself, with marks for what it names; depth stays."""
    shown = hiding.draft.shown(path)
    if _is_of_system(hiding, shown):
        return path
    if hiding.profile.cuts(Kind.PATH):
        return hiding.draft.hidden(Kind.PATH, CUT_MARK)
    parts = SLASHES.split(path.decode("utf-8", "replace"))
    head, public = _head(hiding, shown), _public_from(hiding, parts)
    last = max((index for index, part in enumerate(parts) if part.strip("/")), default=0)
    out: list[bytes] = []
    for index, part in enumerate(parts):
        is_open = index < head or index >= public or PUBLIC_FILE.fullmatch(part)
        if not part.strip("/.~") or is_open or _is_hidden(hiding, part):
            out.append(part.encode())
            continue
        is_user = index > 1 and parts[index - 2].lower() in hiding.vocabulary.home_folders
        kind = Kind.USER if is_user else Kind.PATH
        is_file = index == last and index > 0 and kind is Kind.PATH
        out.append(_part(hiding, kind, hiding.draft.shown(part.encode()), is_file=is_file))
    return b"".join(out)


def _is_hidden(hiding: Hiding, part: str) -> bool:
    """Say whether nothing is left of a part but its mark, and of a file its ending."""
    file = HIDDEN_FILE.fullmatch(part)
    is_file = file is not None and hiding.draft.shown(file[1].encode()).startswith(
        f"{FILE_PREFIX}-"
    )
    return is_file or MARKS.fullmatch(part) is not None


def _part(hiding: Hiding, kind: Kind, text: str, *, is_file: bool) -> bytes:
    known = hiding.known.kinds.get(text.casefold())
    if known is None and is_file and "." in text:
        return hiding.draft.hidden(Kind.PATH, hiding.pseudonyms.file_name(text))
    made = hiding.stand_in(kind, text)
    return text.encode() if made is None else hiding.draft.hidden(known[0] if known else kind, made)


def _head(hiding: Hiding, path: str) -> int:
    """Return how many pieces of a path are folders that every machine has for everybody."""
    heads = (each for each in hiding.vocabulary.shared_folders if f"{path}/".startswith(each))
    return max((2 * each.count("/") - 1 for each in heads), default=0)


def _is_of_system(hiding: Hiding, path: str) -> bool:
    """Say whether a path is one that all machines have."""
    vocabulary = hiding.vocabulary
    if not path.startswith(vocabulary.system_folders):
        return False
    if _head(hiding, path):
        return False
    is_of_system = any(_is_below(path, folder) for folder in vocabulary.system_folders)
    return is_of_system and not any(f"/{each}/" in path for each in vocabulary.library_folders)


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder) and path[len(folder) : len(folder) + 1] in {"", "/", "-", "."}


def _public_from(hiding: Hiding, parts: list[str]) -> int:
    """Return from which part on a path is one of a library that everybody has."""
    vocabulary = hiding.vocabulary
    names = parts[::2]
    for index, name in enumerate(names):
        near = "/".join(names[index : index + DEEPEST])  # no beginning is longer
        rest = near.partition("/")[2]
        is_library = name in vocabulary.library_folders and _begins(rest, vocabulary.public_sources)
        if is_library or _begins(near, vocabulary.public_trees):
            return 2 * index
    return len(parts)


def _begins(path: str, beginnings: tuple[str, ...]) -> bool:
    return f"{path}/".startswith(beginnings)
