"""Hung tasks: the stack names what the task waits for, and with it the layer."""

import re
from dataclasses import replace

from apps.diagnosis.model import Event, Layer, LogLine, Mark, RecordPart
from apps.diagnosis.signatures.event_builder import with_fields
from apps.diagnosis.signatures.marks import marked
from apps.diagnosis.signatures.multi_line_record import (
    OVER,
    SWALLOWED,
    LineOutcome,
    LineVerdict,
    OpenRecord,
    RecordKind,
)

OPENERS, BLOCKERS = marked(Mark.BLOCKED_TASK), marked(RecordPart.HUNG_TASK_BLOCKER)
FRAME = re.compile(
    r"\s{0,6}(?:\[<[0-9a-f]{8,16}>\] )?(?:\? )?"
    r"([A-Za-z_][\w.]{0,80})\+0x[0-9a-f]{1,8}/0x[0-9a-f]{1,8}",
    re.ASCII,
)
BESIDE = re.compile(
    r"\s{0,6}(?:Not tainted|Tainted|\"echo 0|task:|Call Trace:|Call trace:|<TASK>|Workqueue:|RIP:"
    r"|RSP:|RAX:|RDX:|RBP:|R\d\d:|\[?<[0-9a-f]{8,16}>|[\w/:.-]{1,40} {1,20}D )",
    re.ASCII,
)
NFS = r"(?:nfs\d?_|rpc_|xprt_|nfsd|svc_|sunrpc)"
LUSTRE = r"(?:ldlm_|ptlrpc|osc_|mdc_|ll_|lov_|lmv_|cl_io|cl_sync|obd_|lnet_)"
CLUSTERED = (
    r"(?:_{0,2}ceph_|rbd_|weka|beegfs|FhgfsOps|mmfs|gpfs|cxi[A-Z]|fuse_|request_wait_answer|cifs_"
    r"|smb2_)"
)
DRIVER = r"(?:uvm_|nv_|nvidia|_nv\d|rm_|os_acquire|nvkms)"
ADAPTER = r"(?:ib_|mlx5_|rdma_|uverbs|ucma_|bnxt_|efa_)"
WRITEBACK = r"(?:folio_wait|wait_on_page|wb_wait|balance_dirty)"
DISK = r"(?:jbd2_|xfs_|xlog_|ext4_|btrfs_|blk_|submit_bio|io_schedule|nvme_|md_|raid\d|dm_)"
# The first row that any symbol of the stack fits decides: the deepest layer is asked first.
WAITS = (
    (re.compile(NFS, re.ASCII), Layer.STORAGE, ("nfs-unavailable",)),
    (re.compile(LUSTRE, re.ASCII), Layer.STORAGE, ("nfs-unavailable",)),
    (re.compile(CLUSTERED, re.ASCII), Layer.STORAGE, ("nfs-unavailable",)),
    (re.compile(DRIVER, re.ASCII), Layer.GPU, ("gpu-other",)),
    (re.compile(ADAPTER, re.ASCII), Layer.NETWORK, ("link-down",)),
    (re.compile(WRITEBACK, re.ASCII), Layer.STORAGE, ("nfs-unavailable",)),
    (re.compile(DISK, re.ASCII), Layer.STORAGE, ("nfs-unavailable",)),
)
# Threads of a file system are called by the disk that they serve: these disks lie across a network.
OF_REMOTE_DISK = re.compile(
    r"[\w-]{2,16}[/-]d?(?:rbd|nbd|drbd)\d{1,4}(?:p\d{1,3})?(?:-\d{1,3})?", re.ASCII
)
ACROSS_NETWORK = (Layer.STORAGE, ("nfs-unavailable",))


def _opens(line: LogLine, event: Event | None) -> bool:
    return event is not None and event.signature in OPENERS


def _take(record: OpenRecord, line: LogLine, event: Event | None) -> LineOutcome:
    frame = FRAME.match(line.text)
    if frame is not None:
        stack = [*record.notes.get("stack", "").split(" < "), frame[1]]
        record.note("stack", " < ".join(one for one in stack if one))
        _note_row(record, frame[1])
        return SWALLOWED
    if "</TASK>" in line.text:
        return LineOutcome(verdict=LineVerdict.LAST, events=())
    if event is not None and event.signature in BLOCKERS:
        record.note("owner", event.fields.get("owner", ""))
        return SWALLOWED
    return SWALLOWED if BESIDE.match(line.text) else OVER


def _note_row(record: OpenRecord, symbol: str) -> None:
    """Remember the deepest layer so far: a stack is longer than what is kept of it."""
    known = int(record.notes.get("row", len(WAITS)))
    for row, (pattern, _, _) in enumerate(WAITS[:known]):
        if pattern.match(symbol):
            record.note("row", str(row))
            record.note("waits_in", symbol)
            return


def _finish(record: OpenRecord) -> tuple[Event, ...]:
    if record.event is None:
        return ()
    row = record.notes.pop("row", "")
    event = with_fields(event=record.event, more=record.notes)
    if row:
        _, layer, causes = WAITS[int(row)]
    elif OF_REMOTE_DISK.fullmatch(event.fields.get("comm", "")):
        layer, causes = ACROSS_NETWORK
    else:
        return (event,)
    return (replace(event, layer=layer, causes=causes),)


HUNG_TASK = RecordKind(
    name="hung_task", opens=_opens, take=_take, finish=_finish, is_kernel=True, line_limit=60
)
