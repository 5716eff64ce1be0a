"""What stands below the options of a command: examples, and what its exit code says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

REFUSED = "what was asked can't be done; the reason is on the error output"
MISTYPED = "an option or value that is not known"


@dataclass(frozen=True, slots=True, kw_only=True)
class Guide:
    """Examples of one command, with what they do, and its exit codes beside 0."""

    examples: Sequence[tuple[str, str]]
    done: str = "done"
    codes: Mapping[int, str] = field(default_factory=lambda: {1: REFUSED, 2: MISTYPED})


def epilog(*, program: str, command: str) -> str:
    """Return the end of a command's help; empty for one of Django's own."""
    guide = GUIDES.get(command)
    if guide is None:
        return ""
    rows = [(f"{program} {command} {words}".rstrip(), what) for words, what in guide.examples]
    examples = "\n".join(f"  {words}\n      {what}" for words, what in rows)
    codes = {0: guide.done, **guide.codes, INTERRUPTED: "ended by Ctrl-C"}
    if command in STAYING:
        del codes[INTERRUPTED]
    listed = "\n".join(f"  {code:<4} {meaning}" for code, meaning in codes.items())
    return f"examples:\n{examples}\n\nexit codes:\n{listed}"


INTERRUPTED: Final = 130
STAYING: Final = frozenset({"up", "demo"})  # Ctrl-C is how they end
RUNNING = {1: "it could not start, or a part ended by itself: which one, and its last lines, are "
           "printed", 2: MISTYPED}  # fmt: skip
GUIDES: Final[Mapping[str, Guide]] = {
    "diagnose": Guide(
        examples=(
            ("slurm-4711.out", "one log: why it stopped, whether to restart, whom to leave out"),
            (
                "--session train.log --kernel gpu003.kern.log --scheduler slurmctld.log",
                "logs of which you know what they are; where not, the text tells",
            ),
            ("logs/ --tz Asia/Seoul", "a folder: session/<host>/rank<N>.log, kernel/<host>.log …"),
            ("run.tar.zst --metrics http://prometheus:9090", "ask a server about that time, too"),
            ("slurm-4711.out --format md", "for the ticket"),
            ("--explain gpu-off-bus", "what stands behind a cause, signature or Xid of a report"),
        ),
        done="a cause was found, or nothing failed",
        codes={
            2: "the input can't be used, or an option is not known",
            3: "unknown: the logs don't settle it; the report says what would, and who holds it",
        },
    ),
    "collect": Guide(
        examples=(
            ("--job 4711", "Slurm tells when, where, and which files"),
            (
                "--nodes gpu001,gpu002 --from 2026-11-22T08:00 --output train.log",
                "without Slurm: these nodes since then, and what the job printed",
            ),
            ("--job 4711 --redact all", "for a vendor's support: no hosts, addresses, users"),
        ),
        done="the tar is written; what could not be had is listed, and in its manifest",
        codes={1: REFUSED, 2: "nothing to collect, or an option is not known"},
    ),
    "detect": Guide(
        examples=(
            ("node.csv", "which rows of one machine are unusual, and which columns lead"),
            ("today.parquet --train last-week.parquet", "by what was usual last week"),
            ("node.csv --rank 120:180 --format json", "which columns lead in these rows"),
        ),
        codes={2: "the table can't be used, or an option is not known"},
    ),
    "stragglers": Guide(
        examples=(
            ("steps.parquet", "operations of some steps: what slow members cost, and who is slow"),
            ("rank*.pt.trace.json.gz", "profiles of PyTorch, one a rank, all of one job"),
            ("inspector/*.jsonl --format json", "who comes last to NCCL's collectives"),
        ),
        done="the traces were judged; a slow job is no error",
        codes={
            2: "a file can't be used, or an option is not known",
            3: "refused: the simulation of a job is off by more than 5 %",
        },
    ),
    "backtest": Guide(
        examples=(
            (
                "http://prometheus:9090 --from 2026-10-01 --to 2026-11-01 --failures failures.csv",
                "would it have warned of these failures? (columns at and host; more if you have)",
            ),
            ("SRC-7K3F --organization aurora --from … --to …", "a source of the portal"),
            ("exported/ --failures failures.json --format html --out report.html", "on files"),
        ),
        codes={2: "the metrics, the failures or an option can't be used"},
    ),
    "verify_answer": Guide(
        examples=(
            ("REQ-3F9A1C20D4-answer.json", "is it as it was signed, and what does it say?"),
            (
                "REQ-3F9A1C20D4-answer.json --key FINGERPRINT",
                "is it by the key that its holder shows?",
            ),
            ("REQ-3F9A1C20D4-answer.json --request REQ-3F9A1C20D4", "and of that request?"),
        ),
        done="it is as it was signed",
        codes={1: "it was changed, or is not the one you mean", 2: "it can't be read"},
    ),
    "verify_bundle": Guide(
        examples=(
            ("BND-3F9A1C20D4E7.zip", "is it as it was made, and what is in it?"),
            (
                "BND-3F9A1C20D4E7.zip --sha256 DIGEST",
                "is it the one whose SHA-256 the portal's page shows?",
            ),
            ("BND-3F9A1C20D4E7.zip --logs lines/", "and write its lines for `diagnose lines/`"),
        ),
        done="it is as it was made",
        codes={1: "it was changed, or is no bundle", 2: "it can't be read, or an option is wrong"},
    ),
    "up": Guide(
        examples=(
            ("", "on port 8000, or a free one; data where PORTAL_VAR says"),
            ("&", "the same from a script; `kill` its process to stop it"),
        ),
        done="stopped by Ctrl-C or a signal; a second Ctrl-C waits for nothing",
        codes=RUNNING,
    ),
    "demo": Guide(
        examples=(("", "six organizations with logins; the first failure comes within 90 s"),),
        done="stopped by Ctrl-C or a signal; a second Ctrl-C waits for nothing",
        codes=RUNNING,
    ),
    "demo_check": Guide(
        examples=(("", "in another terminal, while the demo runs"),),
        done="every verdict is what the simulator broke",
        codes={1: "one is not, or no demo runs", 2: MISTYPED},
    ),
    "setup": Guide(
        examples=(
            ("--file parties.yaml --dry-run", "what it would make (README.md has such a file)"),
            ("--file parties.yaml", "make it; links and tokens are printed once"),
            (
                "--cluster m --organization aurora --part operator --admin ada --token shippers",
                "one organization without a file",
            ),
            ("", "asked at the terminal"),
        ),
        codes={
            1: "nothing was made; the reason is on the error output",
            2: "nothing was made: the file is wrong there, line by line",
        },
    ),
    "token": Guide(
        examples=(
            ("list northwind", "names, scopes, clusters, ends; never the tokens themselves"),
            ("issue northwind --name ci --scope read --days 90", "printed once"),
            ("revoke northwind --name ci", "from this moment on"),
        ),
    ),
    "link": Guide(
        examples=(
            ("ada", "send the link to that person: it sets a password, once"),
            ("ada --remove-second-factor", "for who lost the phone and the recovery codes, too"),
        )
    ),
    "backup": Guide(
        examples=(
            ("/backup/", "a file named after the moment, while the portal runs"),
            ("/backup/portal.tar --with-keys", "whoever has this one reads stored credentials"),
        ),
    ),
    "restore": Guide(
        examples=(("/backup/portal.tar", "into an empty portal; nothing is sent until you say so"),)
    ),
    "sending": Guide(
        examples=(
            ("", "do e-mails and webhooks go out?"),
            ("hold", "none goes out"),
            ("resume", "they go out again"),
        )
    ),
    "retry": Guide(
        examples=(
            ("--list", "what was set aside because it failed again and again"),
            ("--organization northwind", "try what is this one's again"),
        )
    ),
    "quota": Guide(
        examples=(
            ("", "what each organization keeps, and may keep"),
            ("northwind 500GiB", "0 for no limit, default for everybody's"),
        )
    ),
    "agreements": Guide(
        examples=(
            ("export --cluster meridian", "print what holds or is proposed, a document each"),
            (
                "apply agreements.yaml --organization aurora --as ada --dry-run",
                "what it would propose, in words",
            ),
            ("apply agreements.yaml --organization aurora --as ada", "propose what differs"),
        ),
        codes={1: "nothing was proposed; the reason is on the error output", 2: MISTYPED},
    ),
    "reinterpret": Guide(
        examples=(("--since 2026-11-21T00:00+00:00", "read again what came in since then"),)
    ),
    "feedback": Guide(
        examples=(("export --out feedback.jsonl", "what people said of verdicts, without text"),)
    ),
    "verify": Guide(
        examples=(
            ("", "two lines an organization: its audit record and its share ledger"),
            ("--format json", "to be kept elsewhere"),
            ("--known verified.json", "also whether an end was cut off since"),
        ),
        done="no entry was changed or removed",
        codes={1: "one was: which, is printed", 2: MISTYPED},
    ),
    "verify_audit": Guide(
        examples=(("", "of the audit records alone"),),
        done="no entry was changed or removed",
        codes={1: "one was: which, is printed", 2: MISTYPED},
    ),
    "reseal": Guide(examples=(("", "after a new key was put first in PORTAL_SECRET_KEYS"),)),
}
