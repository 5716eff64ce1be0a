"""Records of several lines as programs print them."""

CHAIN = """[rank3]: Traceback (most recent call last):
[rank3]:   File "/app/train.py", line 8, in main
[rank3]:     step()
[rank3]:   File "/app/io.py", line 91, in read_shard
[rank3]:     raise CorruptShard("part 7")
[rank3]: io.CorruptShard: part 7
[rank3]:
[rank3]: During handling of the above exception, another exception occurred:
[rank3]:
[rank3]: Traceback (most recent call last):
[rank3]:   File "/app/train.py", line 9, in main
[rank3]:     close()
[rank3]: ValueError: already closed"""


TABLE = """============================================================
train.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2026-09-14_17:05:20
  host      : n12.hpc
  rank      : 97 (local_rank: 1)
  exitcode  : -15 (pid: 5151)
  error_file: <N/A>
  traceback : Signal 15 (SIGTERM) received by PID 5151
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-09-14_17:05:19
  host      : n12.hpc
  rank      : 96 (local_rank: 0)
  exitcode  : -9 (pid: 5150)
  error_file: <N/A>
  traceback : Signal 9 (SIGKILL) received by PID 5150
============================================================"""


TRIPLE = """[ 91.1] NVRM: The NVIDIA GPU 0000:c4:00.0
               NVRM: (PCI ID: 10de:2330) installed in this system has
               NVRM: fallen off the bus and is not responding to commands."""
