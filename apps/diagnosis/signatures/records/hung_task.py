"""Hung tasks: the stack names what the task waits for, and with it the layer."""

import re
from dataclasses import replace

from apps.diagnosis.model import Event, Layer, LogLine
from apps.diagnosis.signatures.event import with_fields
from apps.diagnosis.signatures.record import OVER, SWALLOWED, Record, RecordKind, Taken, Verdict

FRAME = re.compile(
    r"\s{0,6}(?:\? )?([A-Za-z_][\w.]{0,80})\+0x[0-9a-f]{1,8}/0x[0-9a-f]{1,8}", re.ASCII
)
BESIDE = re.compile(
    r"\s{0,6}(?:Not tainted|Tainted|\"echo 0|task:|Call Trace:|<TASK>|Workqueue:|RIP:|RSP:|RAX:"
    r"|RDX:|RBP:|R\d\d:|\[?<[0-9a-f]{8,16}>)",
    re.ASCII,
)
# The first row whose symbols stand in the stack decides: the deepest layer is asked first.
WAITS = (
    (r"\b(?:nfs\d?_|rpc_|xprt_|nfsd)", Layer.STORAGE, ("nfs-unavailable",)),
    (r"\b(?:ldlm_|ptlrpc|osc_|ll_file|lov_|cl_io|ceph_|weka)", Layer.STORAGE, ("nfs-unavailable",)),
    (r"\b(?:uvm_|nv_|nvidia|_nv\d|rm_)", Layer.GPU, ("gpu-other",)),
    (r"\b(?:ib_|mlx5_|rdma_|uverbs)", Layer.NETWORK, ("link-down",)),
    (r"\b(?:folio_wait|wait_on_page|wb_wait|balance_dirty)", Layer.STORAGE, ()),
    (r"\b(?:jbd2_|xfs_|ext4_|blk_|submit_bio|io_schedule)", Layer.STORAGE, ()),
)  # fmt: skip


def _opens(line: LogLine, event: Event | None) -> bool:
    return event is not None and event.signature == "hung-task"


def _take(record: Record, line: LogLine, event: Event | None) -> Taken:
    frame = FRAME.match(line.text)
    if frame is not None:
        stack = [*record.notes.get("stack", "").split(" < "), frame[1]]
        record.note("stack", " < ".join(one for one in stack if one))
        return SWALLOWED
    if "</TASK>" in line.text:
        return Taken(verdict=Verdict.LAST, events=())
    if event is not None and event.signature == "hung-task-blocker":
        record.note("owner", event.fields.get("owner", ""))
        return SWALLOWED
    return SWALLOWED if BESIDE.match(line.text) else OVER


def _finish(record: Record) -> tuple[Event, ...]:
    if record.event is None:
        return ()
    stack = record.notes.get("stack", "")
    event = with_fields(event=record.event, more=record.notes)
    for pattern, layer, causes in WAITS:
        if re.search(pattern, stack):
            return (replace(event, layer=layer, causes=causes),)
    return (event,)


HUNG_TASK = RecordKind(
    name="hung_task", opens=_opens, take=_take, finish=_finish, is_kernel=True, line_limit=60
)
