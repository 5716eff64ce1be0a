"""Lines of many programs, without anything around them: the network fault that each tells, and those
that tell none."""
# ruff: noqa: E501  lines of logs keep their length

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Layer, Origin, Stream, Verdict, VerdictStatus
from apps.diagnosis.signatures.read import read_source

REGISTRATION = [
    "k7:31:52 [0] misc/ibvwrap.cc:228 NCCL WARN Call to ibv_reg_mr failed",
    "k7:31:52 [3] misc/ibvwrap.cc:284 NCCL WARN Call to ibv_create_qp failed with error Cannot allocate memory",
    "libibverbs: Warning: RLIMIT_MEMLOCK is 65536 bytes.",
    "[k7:88 :0:88] ib_md.c:379 UCX  ERROR ibv_exp_reg_mr(address=0x7f00, length=8192, access=0xf) failed: Cannot allocate memory",
    "max locked memory       (kbytes, -l) 8192",
    "modprobe: FATAL: Module nvidia-peermem not found in directory /lib/modules/6.2.0-77",
    "nvidia_peermem: Unknown symbol ib_register_peer_memory_client (err -22)",
    "ibgda.cpp:nvshmemt_init:3626: neither nv_peer_mem, or nvidia_peermem detected. Skipping transport.",
    "Couldn't open IB device mlx5_4",
    "Failed to get IB devices list: Function not implemented",
    "E0611 rdma_context.cpp:127] Failed to register memory 0x7f0000000000: Input/output error [5]",
    "Couldn't allocate MR",
    "bnxt_re 0000:41:00.0 bnxt_re1: Failed to register with IB: 0xfffffff4",
]
GID = [
    "k7:31:52 [1] misc/ibvwrap.cc:76 NCCL WARN Call to ibv_modify_qp failed with error Invalid argument",
    "NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out, on dev mlx5_0:1, curr state INIT, next state RTR, local GID index 3, local GID ::ffff:10.7.0.1, remote GID ::ffff:10.7.1.1",
    " Unable to Connect the HCA's through the link",
    "rdma_endpoint.cpp:452] Failed to modify QP to RTR, check mtu, gid, peer lid, peer qp num: Connection timed out [110]",
    "UCX  ERROR ibv_create_ah(dlid=49152 port=1 src_path_bits=0 dgid=fe80::1 sgid_index=0) failed: Connection timed out",
    "cma event RDMA_CM_EVENT_ADDR_ERROR, error -19",
    "No GID found for mlx5_2 port 1",
    "gid index 7 is out of range for mlx5_1",
]
RETRIES = [
    "NCCL WARN NET/IB : Got completion with error 12, opcode 1, len 0, vendor err 129",
    "[k7:11:0:11] ib_mlx5_log.c:162  Transport retry count exceeded on mlx5_0:1/IB (synd 0x15 vend 0x81 hw_synd 0/0)",
    "[k7:11:0:11] ib_mlx5_log.c:162  Transport retry count exceeded on mlx5_0:1/RoCE (synd 0x15 vend 0x81 hw_synd 0/0)",
    " Failed status 12: wr_id 0 syndrom 0x81",
    "The InfiniBand retry count between two MPI processes has been",
    "Work completion failed: transport retry counter exceeded (12)",
    "completed with IBV_WC_RNR_RETRY_EXC_ERR",
]
PORTS = [
    "		Physical state: Polling",
    "			state:			PORT_DOWN (1)",
    "2: ens10f0np0: <NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 1500 qdisc mq state DOWN",
    "orchagent: :- updatePortOperStatus: Port Ethernet128 oper state set from up to down",
    "%LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet12/1, changed state to down",
    "IB Async event on mlx5_1: port error on port 1",
    "mlx5_2 link flapping detected, 14 transitions in 10 minutes",
    "opensm: Switch 0x1070 port 17 changed state from ACTIVE to DOWN",
    "switchd[2211]: sync_port.c:2033 swp12 link down",
    "LinkDownedCounter:................7",
]
FABRIC = [
    "PFC Watchdog detected PFC storm on port Ethernet8, queue index 3",
    "ping: local error: message too long, mtu=1500",
    "Active MTU mismatch: mlx5_0 4096 vs mlx5_1 1024",
    "     out_of_sequence: 5523",
    "16 packets transmitted, 9 received, 43.75% packet loss, time 15034ms",
]
PEERS = [
    "failed to open CUDA IPC handle",
    "RuntimeError: CUDA error: peer access is not supported between these two devices",
    "k7:31:52 [1] init.cc:470 NCCL WARN peer query failed between dev 0(=1000) and dev 1(=2000)",
    "DMAR: DRHD: handling fault status reg 402",
    "Verification error @ element 0: val = nan, ref = 0.000000",
    "	ACSCtl:	SrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+",
]
INTERFACES = [
    "NCCL WARN Net : No interface found in the same subnet as remote address 10.1.0.3<4444>",
    "[enforce fail at gloo/transport/tcp/device.cc:83] ifa != nullptr. Unable to find address for: eno9",
    "RuntimeError: [gloo/transport/tcp/pair.cc:799] connect [127.0.1.1]:7721: Connection refused",
    "Unable to find a set of common task-to-task communication interfaces: [(0, {'lo': []})]",
    "None of the TCP networks specified to be included for out-of-band communications",
    "mca_btl_tcp_endpoint_complete_connect connect() to 172.17.0.1 failed: Connection refused (111)",
    "UCX  WARN  network device 'mlx5_0:1' is not available, please use one or more of: 'eth0'(tcp), 'lo'(tcp)",
    "k7:31:52 [0] NCCL WARN socketStartConnect: Connect to 127.0.0.1<36451> failed : Connection refused",
    "socketPollConnect: connect to 169.254.170.23<41022> returned Connection refused, retrying (13/34)",
]
RENDEZVOUS = [
    "ssh: connect to host k9 port 22: Connection timed out",
    "Host key verification failed.",
    "pdsh@k7: k9: ssh exited with exit code 255",
    "socket.gaierror: [Errno -2] Name or service not known",
    "The client socket has failed to connect to k9:52873 (errno: 110 - Connection timed out)",
    "RendezvousConnectionError: The connection to the C10d store has failed. See inner exception for details.",
    "Failed to connect to GCS at address 10.0.0.4:6379 within 5 seconds.",
    "UNAVAILABLE: failed to connect to all addresses; last error: UNKNOWN: ipv4:10.0.0.4:1234: Failed to connect to remote host",
    "dial tcp: lookup trainer-0.jobs on 10.96.0.10:53: no such host",
    "OSError: [Errno 113] No route to host",
    "HYDU_sock_connect (lib/utils/sock.c:113): unable to get host address for k9 (1)",
    "TimeoutError: Timed out after 301 seconds waiting for clients. 1/2 clients joined.",
]
PLUGINS = [
    "NET/OFI aws-ofi-nccl initialization failed",
    "NET/OFI No eligible providers were found",
    "fi_getinfo: -61 (No data available)",
    "MPIDI_OFI_mpi_init_hook(1592): OFI addrinfo() failed (ofi_init.c:1592:MPIDI_OFI_mpi_init_hook:No data available)",
    "completed with error. RC: 22. Error: 4126 (Unresponsive receiver (reachable by EFA device but handshake failed)).",
    "NCCL WARN Error: network AWS Libfabric not found.",
]
# What a broken or closed connection, a wait, a setting or a healthy tool says of itself names nobody.
NOTHING = [
    "DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1275, remote process exited or there was a network error, NCCL version 2.18.1",
    "RuntimeError: [third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.3]:29871",
    "BrokenPipeError: [Errno 32] Broken pipe",
    "ConnectionResetError: [Errno 104] Connection reset by peer",
    "[W socket.cpp:601] [c10d] The client socket has failed to connect to [localhost]:29500 (errno: 97 - Address family not supported by protocol).",
    "k7:31:52 [0] NCCL INFO NET/IB : No device found.",
    "k7:31:52 [0] NCCL INFO Failed to open libibverbs.so[.1]",
    "k7:31:52 [0] NCCL INFO NET/Plugin : No plugin found (libnccl-net.so), using internal implementation",
    "k7:31:52 [0] NCCL INFO NCCL_IB_GID_INDEX set by environment to 3.",
    "k7:31:52 [0] NCCL INFO P2P is disabled between connected GPUs 1 and 0. You can repress this message with NCCL_IGNORE_DISABLED_P2P=1.",
    "ORTE was unable to reliably start one or more daemons.",
    "UCX  WARN  error event on rc_mlx5 (status=Connection reset by remote peer)",
    "			state:			PORT_ACTIVE (4)",
    "LinkDownedCounter:................0",
    "max locked memory       (kbytes, -l) unlimited",
    "5 packets transmitted, 5 received, 0% packet loss",
    "Device=0 CAN Access Peer Device=1",
    "unable to resolve dependency tree for the optimizer",
]


def told(line: str) -> Verdict:
    """Return the verdict on a session whose log is this line."""
    origin = Origin(source="session.log", stream=Stream.SESSION)
    return diagnose(readings=[read_source(origin=origin, text=line)]).verdict


@pytest.mark.parametrize(
    ("cause", "line"),
    [
        (cause, line)
        for cause, lines in {
            "rdma-registration": REGISTRATION,
            "roce-gid": GID,
            "link-down": PORTS,
            "fabric-congestion": FABRIC,
            "p2p-topology": PEERS,
            "wrong-interface": INTERFACES,
            "rendezvous-unreachable": RENDEZVOUS,
            "efa-plugin": PLUGINS,
        }.items()
        for line in lines
    ],
)
def test_a_line_alone_tells_its_network_fault(cause: str, line: str) -> None:
    verdict = told(line)
    assert (verdict.layer, verdict.cause) == (Layer.NETWORK, cause)


@pytest.mark.parametrize("line", RETRIES)
def test_retries_that_ran_out_tell_the_network_but_are_never_sure_of_it(line: str) -> None:
    verdict = told(line)
    assert verdict.layer is Layer.NETWORK
    assert verdict.status is VerdictStatus.POSSIBLE


@pytest.mark.parametrize("line", NOTHING)
def test_an_echo_or_a_healthy_line_blames_no_network(line: str) -> None:
    assert told(line).layer is not Layer.NETWORK
    assert told(line).status in {VerdictStatus.UNKNOWN, VerdictStatus.NO_FAILURE}


def test_an_interface_of_one_host_counts_only_where_peers_do_not_answer() -> None:
    using = "k7:31:52 [0] NCCL INFO NET/Socket : Using [0]eno1:10.2.0.7<0> [1]veth25ab:fe80::1%veth25ab<0>\n"
    silent = "k7:31:52 [0] NCCL INFO Call to connect returned Connection timed out, retrying\n"
    assert told(using).status is VerdictStatus.UNKNOWN
    assert told(using + silent).cause == "wrong-interface"
