"""What is wrong with a body and its lines: what refuses it whole, what is noted, how much."""

from dataclasses import dataclass, field

REPORT_LIMIT = 100  # more complaints than a person reads; the count goes on


class NothingUsable(Exception):
    """No line of the body could be kept. The text says why, with `values` at its %(names)s."""

    def __init__(self, text: str = "", **values: str) -> None:
        super().__init__(text % values if values else text)
        self.text, self.values = text, values


class Archive(NothingUsable):
    """The body is many files in one. The text says what to do instead."""


class NoText(NothingUsable):
    """The body is a file of another kind. The text says which, and what to send instead."""


class TooBig(Exception):
    """The body, or what it unpacks to, is larger than the portal takes at once."""


class Torn(Exception):
    """The coding broke in the middle; what came before it is good."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rejected:
    """What was wrong with one line of a body. Never holds log text."""

    line: int
    code: str
    detail: str
    file: str = ""  # where several are read
    why: NothingUsable | None = None  # of a file that is left out, for who translates it


@dataclass(slots=True, kw_only=True)
class Complaints:
    """Collects what was wrong, bounded."""

    kept: list[Rejected] = field(default_factory=list)
    count: int = 0
    refused_line_count: int = 0
    file: str = ""  # the one that is read right now, where several are
    left_out: list[Rejected] = field(default_factory=list)
    left_out_count: int = 0
    part_refusal: str = ""  # why lines are not for their sender's part; see fleet.authority

    def refuse(self, *, count: int, detail: str) -> None:
        """Note lines that are not for their sender's part to send."""
        self.part_refusal = self.part_refusal or detail
        self.refused_line_count += count
        self.add(line=0, code="part_refused", detail=f"{count} lines left out: {detail}")

    def add(self, *, line: int, code: str, detail: str) -> None:
        """Note one complaint; past the limit only count it."""
        self.count += 1
        if len(self.kept) < REPORT_LIMIT:
            self.kept.append(Rejected(line=line, code=code, detail=detail, file=self.file))

    def leave_out(self, *, why: NothingUsable) -> None:
        """Note that nothing of the file that is read right now is kept; past the limit count it."""
        self.left_out_count += 1
        if len(self.left_out) < REPORT_LIMIT:
            row = Rejected(line=0, code="left_out", detail=str(why), file=self.file, why=why)
            self.left_out.append(row)

    def as_json(self) -> list[dict[str, object]]:
        """Return the list that the answer carries."""
        rows: list[dict[str, object]] = [
            {"line": each.line, "code": each.code, "detail": each.detail} for each in self.kept
        ]
        if self.count > len(self.kept):
            more = self.count - len(self.kept)
            rows.append({"line": None, "code": "more", "detail": f"{more} more not listed"})
        return rows
