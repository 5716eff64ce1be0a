"""What kernels say of one thing in many wordings: corrected is not broken, back is not gone."""
# ruff: noqa: E501  lines of logs keep their length

import pytest

from apps.diagnosis.model import Event, Layer, Origin, Role
from apps.diagnosis.signatures.read import read_source


def said(text: str) -> tuple[Event, ...]:
    return read_source(origin=Origin(source="kernel"), text=text).events


def the_only(text: str) -> Event:
    (event,) = said(text)
    return event


@pytest.mark.parametrize(
    ("line", "signature", "role"),
    [
        ("mce: [Hardware Error]: CPU 4: Machine Check: 0 Bank 7: cc00008000010091", "mce-corrected", Role.CONTEXT),
        ("mce: [Hardware Error]: CPU 4: Machine Check Exception: 5 Bank 7: be00000000800400", "mce", Role.INITIATING),
        ("mce: [Hardware Error]: CPU 4: Machine Check: 0 Bank 7: fa00000000800400", "mce", Role.INITIATING),
        ("mce: [Hardware Error]: Machine check events logged", "mce-corrected", Role.CONTEXT),
        ("[Hardware Error]: Deferred error, no action required.", "mce-corrected", Role.CONTEXT),
        ("[Hardware Error]: Uncorrected, software containable error.", "mce", Role.INITIATING),
        ("EDAC MC3: 2 CE on mc#3csrow#1channel#0 (csrow:1 channel:0 page:0x1a2 offset:0x40 grain:64)", "edac-corrected", Role.CONTEXT),
        ("EDAC skx MC3: 1 UE memory read error on CPU_SrcID#1_MC#0_Chan#1_DIMM#0", "edac", Role.INITIATING),
        ("EXT4-fs warning (device nvme0n1p2): ext4_end_bio:343: I/O error 10 writing to inode 12", "ext4-warning", Role.CONTEXT),
        ("libceph: osd4 (1)10.7.0.9:6801 socket closed (con state OPEN)", "ceph-socket", Role.CONTEXT),
        ("libceph: osd4 down", "ceph-osd", Role.INITIATING),
        ("ceph: mds0 caps renewed", "ceph-restored", Role.RECOVERY),
        ("pcieport 0000:3a:01.0: pciehp: Slot(9): Link Up", "pcie-hotplug-up", Role.RECOVERY),
        ("pcieport 0000:3a:01.0: pciehp: Slot(9): Link Down", "pcie-dpc", Role.INITIATING),
        ("bond0: (slave eth2): link status definitely up, 200000 Mbps full duplex", "bond-slave-up", Role.RECOVERY),
        ("bond0: link status definitely down for interface eth2, disabling it", "bond-slave", Role.INITIATING),
        ("md/raid1:md0: Disk failure on nvme3n1p1, disabling device.", "md-degraded", Role.CONTEXT),
        ("mlx5_core 0000:9a:00.0: mlx5_health_try_recover:366:(pid 77): health recovery succeeded", "mlx5-fw-recovery", Role.RECOVERY),
        ("mlx5_core 0000:9a:00.0: mlx5_health_try_recover:341:(pid 77): health recovery flow aborted, PCI reads still not working", "mlx5-recovery-failed", Role.INITIATING),
        ("mlx5_core 0000:d2:00.0: mlx5_cmd_out_err:838:(pid 14): ACCESS_REG(0x805) op_mod(0x1) failed, status bad resource(0x5), syndrome (0x305684), err(-22)", "mlx5-cmd-failed", Role.CONTEXT),
        ("chronyd[701]: Selected source 10.1.1.1", "", None),
    ],
)  # fmt: skip
def test_what_was_corrected_or_came_back_is_no_cause(
    line: str, signature: str, role: Role | None
) -> None:
    told = [(event.signature, event.role) for event in said(f"[70331.9] {line}")]
    assert told == [(signature, role)] * bool(signature)


@pytest.mark.parametrize(
    "line",
    [
        "NVRM: GPU 0000:18:00.0: GPU has fallen off the bus.",
        "NVRM: GPU at 0000:18:00.0 has fallen off the bus.",
        "NVRM: GPU at PCI:0000:18:00 has fallen off the bus.",
        "NVRM: The NVIDIA GPU 0000:18:00.0 (PCI ID: 10de:2330) installed in this system has fallen off the bus and is not responding to commands.",
        "nvidia 0000:18:00.0: Unable to change power state from D3cold to D0, device inaccessible",
        "NVRM: nvCheckOkFailedNoLog: Check failed: GPU lost from the bus [NV_ERR_GPU_IS_LOST] (0x0000000F) returned from status @ kernel_gsp.c:9",
    ],
)  # fmt: skip
def test_a_lost_gpu_is_told_in_many_ways(line: str) -> None:
    event = the_only(f"[70331.9] {line}")
    assert event.causes[0] == "gpu-off-bus"
    assert event.fields.get("pci", "0000:18:00.0") == "0000:18:00.0"


@pytest.mark.parametrize(
    ("line", "sev"),
    [
        ("nvidia 0000:18:00.0: PCIe Bus Error: severity=Corrected, type=Data Link Layer, (Transmitter ID)", "Corrected"),
        ("nvidia 0000:18:00.0: PCIe Bus Error: severity=Correctable, type=Data Link Layer, (Transmitter ID)", "Correctable"),
        ("nvidia 0000:18:00.0: AER: PCIe Bus Error: severity=Uncorrectable (Fatal), type=Transaction Layer, (Requester ID)", "Uncorrectable (Fatal)"),
        ("nvidia 0000:18:00.0: PCIe Bus Error: severity=Uncorrected (Non-Fatal), type=Transaction Layer, id=1800(Requester ID)", "Uncorrected (Non-Fatal)"),
    ],
)  # fmt: skip
def test_bus_errors_of_old_and_new_kernels_read_alike(line: str, sev: str) -> None:
    event = the_only(f"[70331.9] {line}")
    assert (event.signature, event.fields["sev"], event.fields["pci"]) == (
        "pcie-aer",
        sev,
        "0000:18:00.0",
    )


@pytest.mark.parametrize(
    ("line", "source"),
    [
        ("pcieport 0000:16:01.0: AER: Corrected error received: 0000:18:00.0", "0000:18:00.0"),
        ("pcieport 0000:16:01.0: AER: Multiple Correctable error message received from 0000:18:00.0", "0000:18:00.0"),
        ("pcieport 0000:16:01.0: AER: Uncorrectable (Fatal) error message received from 0000:18:00.0", "0000:18:00.0"),
        ("pcieport 0000:16:01.0: AER: Corrected error received: id=00e5", None),
    ],
)  # fmt: skip
def test_a_port_names_who_complained(line: str, source: str | None) -> None:
    event = the_only(f"[70331.9] {line}")
    assert (event.fields["pci"], event.fields.get("source")) == ("0000:16:01.0", source)


@pytest.mark.parametrize(
    ("line", "comm"),
    [
        ("INFO: task kworker/u256:3:991 blocked for more than 241 seconds.", "kworker/u256:3"),
        ("INFO: task pt_main_thread:4388 blocked for more than 120 seconds.", "pt_main_thread"),
        ("INFO: task train:77 blocked in I/O wait for more than 120 seconds.", "train"),
    ],
)
def test_a_hung_task_may_have_colons_in_its_name(line: str, comm: str) -> None:
    assert the_only(f"[70331.9] {line}").fields["comm"] == comm


@pytest.mark.parametrize(
    "line",
    [
        "[    0.000000] Linux version 5.15.0-1067-nvidia (buildd@b1) #68-Ubuntu SMP",
        "[    0.000000] Booting Linux on physical CPU 0x0000000000 [0x410fd4f0]",
        "Nov  9 03:12:44 n12 kernel: [    0.000000] Command line: BOOT_IMAGE=/boot/vmlinuz root=/dev/sda2",
        "-- Boot 6a1f0c1be2a94c7f8ad23d0a5a5c9c11 --",
        "-- Reboot --",
        "5,0,0,-;Linux version 5.15.0-1067-nvidia (buildd@b1) #68-Ubuntu SMP",
    ],
)
def test_a_boot_is_seen_in_every_form_of_log(line: str) -> None:
    assert the_only(line).signature == "boot-marker"


@pytest.mark.parametrize(
    "line",
    [
        "Nov  9 03:12:44 n12 systemd-logind[1022]: System is powering down.",
        "Nov  9 03:12:44 n12 systemd[1]: Reached target reboot.target - System Reboot.",
        "[70331.9] reboot: Restarting system",
        "Nov  9 03:12:44 n12 systemd-journald[611]: Received SIGTERM from PID 1 (systemd-shutdow).",
    ],
)
def test_an_orderly_shutdown_is_told_apart(line: str) -> None:
    assert the_only(line).signature == "host-shut-down"


@pytest.mark.parametrize(
    ("line", "constraint", "comm"),
    [
        ("oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0-7,global_oom,task_memcg=/user.slice,task=train_main,pid=77,uid=0", "CONSTRAINT_NONE", "train_main"),
        ("oom-kill:constraint=CONSTRAINT_CPUSET,nodemask=0,cpuset=/restricted,mems_allowed=0,oom_memcg=/user.slice,task_memcg=/user.slice,task=stress,pid=33,uid=1", "CONSTRAINT_CPUSET", "stress"),
        ("oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),", "CONSTRAINT_MEMCG", None),
    ],
)  # fmt: skip
def test_the_constraint_says_which_memory_ran_out(
    line: str, constraint: str, comm: str | None
) -> None:
    event = the_only(f"[70331.9] {line}")
    assert (event.fields["constraint"], event.fields.get("comm")) == (constraint, comm)


def test_a_log_shipper_that_outgrows_its_own_container_is_no_cause() -> None:
    text = (
        "[7.1] vector invoked oom-killer: gfp_mask=0xcc0(GFP_KERNEL), order=0, oom_score_adj=0\n"
        "[7.2] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0-1,oom_memcg=/a,task_memcg=/a/b,task=vector,pid=48,uid=0\n"
        "[7.3] Memory cgroup out of memory: Killed process 48 (vector) total-vm:50kB, anon-rss:6kB, file-rss:1kB\n"
    )
    assert {event.role for event in said(text)} == {Role.CONTEXT}


def test_a_service_killed_for_the_memory_of_the_whole_host_counts() -> None:
    line = (
        "[7.3] Out of memory: Killed process 48 (vector) total-vm:50kB, anon-rss:6kB, file-rss:1kB"
    )
    assert the_only(line).signature == "oom-killed"


@pytest.mark.parametrize(
    "line",
    [
        "Out of memory: Kill process 456 (python) score 912 or sacrifice child",
        "Killed process 456 (python), UID 1001, total-vm:50kB, anon-rss:6kB, file-rss:0kB, shmem-rss:0kB",
        "Memory cgroup out of memory: Killed process 456 (python) total-vm:50kB, anon-rss:6kB, file-rss:1kB",
    ],
)
def test_a_kill_for_memory_is_read_from_kernels_of_all_ages(line: str) -> None:
    event = the_only(f"[70331.9] {line}")
    assert (event.signature, event.fields["pid"]) == ("oom-killed", "456")


@pytest.mark.parametrize(
    ("line", "signature"),
    [
        ("LustreError: 166-1: MGC10.7.0.2@o2ib: Connection to MGS (at 10.7.0.2@o2ib) was lost; in progress operations using this service will fail", "lustre-conn-lost"),
        ("LustreError: 167-0: vol3-MDT0000-mdc-ffff88: This client was evicted by vol3-MDT0000; in progress operations using this service will fail.", "lustre-evicted"),
        ("LustreError: 9:0:(osc_cache.c:1290:osc_completion()) LBUG", "lustre-lbug"),
        ("LNetError: 9:0:(o2iblnd_cb.c:3442:kiblnd_check_conns()) Timed out RDMA with 10.7.0.2@o2ib (5): c: 0, oc: 0, rc: 8", "lnet-timeout"),
        ("nfs: server filer9 not responding, timed out", "nfs-not-responding"),
        ("NFS: server filer9 error: fileid changed", "nfs-changed"),
        ("rpcrdma: connection to 10.7.0.2:20049 closed (-103)", "rpc-xprt"),
        ("nvme nvme2: Reconnecting in 10 seconds...", "nvme-fabric"),
        ("XFS (nvme1n1): Filesystem has been shut down due to log error (0x2).", "xfs-error"),
        ("sd 2:0:0:0: rejecting I/O to offline device", "scsi-failed"),
        ("beegfs: train(88): Messaging (RPC): Communication error. Peer: beegfs-storage s07 [ID: 2]", "beegfs-comm"),
    ],
)  # fmt: skip
def test_storage_clients_speak_for_storage(line: str, signature: str) -> None:
    event = the_only(f"[70331.9] {line}")
    assert (event.signature, event.layer) == (signature, Layer.STORAGE)
    assert "nfs-unavailable" in event.causes


@pytest.mark.parametrize(
    ("line", "state"),
    [
        ("bnxt_en 0000:65:00.0 ens5f0np0: NIC Link is Down", "Down"),
        ("ice 0000:17:00.0 ens801f0: NIC Link is Up 100 Gbps Full Duplex", "Up"),
    ],
)
def test_ports_of_other_makers_are_read_as_well(line: str, state: str) -> None:
    event = the_only(f"[70331.9] {line}")
    wanted = "nic-link-up" if state == "Up" else "nic-link"
    assert (event.signature, event.fields["state"]) == (wanted, state)


def test_a_timeout_of_the_system_processor_names_what_was_asked() -> None:
    line = "NVRM: Xid (PCI:0000:9b:00): 119, pid=77, name=nvidia-smi, Timeout after 6s of waiting for RPC response from GPU4 GSP! Expected function 103 (GSP_RM_ALLOC) (0x2081 0x4)."
    event = the_only(line)
    assert (event.fields["function"], event.fields["waited"]) == ("GSP_RM_ALLOC", "6")
