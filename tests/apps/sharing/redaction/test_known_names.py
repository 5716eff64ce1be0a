"""Names of the owner are found wherever they stand, and nothing else is."""
# ruff: noqa: E501  lines of logs keep their length

import pytest

from apps.sharing.redaction.kinds import Kind
from apps.sharing.redaction.known_names import KnownNames
from tests.apps.sharing.redaction.owner import KNOWN, PSEUDONYMS, read

GPU1 = PSEUDONYMS.name(Kind.HOST, "gpu1")
GPU10 = PSEUDONYMS.name(Kind.HOST, "gpu10")
NODE = PSEUDONYMS.name(Kind.HOST, "node-0071")
LUNAR = PSEUDONYMS.name(Kind.MODEL, "lunar-7b")
MINJI = PSEUDONYMS.name(Kind.USER, "minji")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("gpu1 waits for gpu10", f"{GPU1} waits for {GPU10}"),
        ("gpu1:123:456 [0] NCCL INFO", f"{GPU1}:123:456 [0] NCCL INFO"),
        ("(gpu10)", f"({GPU10})"),
        ("gpu1:9100, gpu1-ib0 and my_gpu1", f"{GPU1}:9100, {GPU1}-ib0 and my_{GPU1}"),
        ("Node-0071 = NODE-0071.Aurora.Example = rack7-71", f"{NODE} = {NODE} = {NODE}"),
        ("node-0071.other.internal", NODE),
        ("node-0071.log was cut", f"{NODE}.log was cut"),
        ("gpu1에서 멈춤", f"{GPU1}에서 멈춤"),
        ("달토끼를 학습", f"{PSEUDONYMS.name(Kind.MODEL, '달토끼')}를 학습"),
        ("LunaR-7B is lunar-7b", f"{LUNAR} is {LUNAR}"),
        ("for minji and root", f"for {MINJI} and root"),
    ],
)
def test_names_are_found_at_their_edges(line: str, told: str) -> None:
    assert read(line) == told


@pytest.mark.parametrize(
    "line",
    [
        "gpu100 is nobody's",
        "xgpu1",
        "gpu1x",
        "adminjilt",
        "GPU1 and GPU 1 are devices",
        "[rank10]: gpu 1",
    ],
)
def test_parts_of_other_words_are_no_names(line: str) -> None:
    assert read(line) == line


def test_a_host_numbered_like_those_that_are_known_is_one() -> None:
    assert read("node-0072 joined") == f"{PSEUDONYMS.name(Kind.HOST, 'node-0072')} joined"
    assert read("node-007 and node-00720") == "node-007 and node-00720"


def test_a_host_called_as_a_word_is_hidden_where_hosts_stand_and_nowhere_else() -> None:
    known = KnownNames(hosts=frozenset({"node", "rank", "timeout", "rank3", "4711"}))
    line = "timeout:12:34 [0] NCCL WARN timeout on rank 3 of node 4711, [rank3]: host=node"
    told = read(line, known=known)
    assert told == (
        f"{PSEUDONYMS.name(Kind.HOST, 'timeout')}:12:34 [0] NCCL WARN timeout on rank 3 of node 4711,"
        f" [rank3]: host={PSEUDONYMS.name(Kind.HOST, 'node')}"
    )


def test_lists_of_hosts_are_written_out() -> None:
    names = [PSEUDONYMS.name(Kind.HOST, f"node-00{number}") for number in (69, 70, 71, 80)]
    assert read("NodeList=node-[0069-0071,0080] Reason=x") == f"NodeList={','.join(names)} Reason=x"
    assert read("node-[0001-9999] down") == "▒ down"
    racks = KnownNames(hosts=frozenset({"rack1-n01", "rank-a1"}))
    assert read("rack[1-2]-n[01-04],x", known=racks) == "▒,x"
    assert read("rank[0-3]", known=racks) == "rank[0-3]"
    assert read("layers[0-3] of mlx5_[0-7]") == "layers[0-3] of mlx5_[0-7]"


def test_the_owners_own_words_are_names() -> None:
    known = KNOWN.with_words(frozenset({"Apollo", "moon shot"}))
    word = PSEUDONYMS.name(Kind.WORD, "apollo")
    assert (
        read("APOLLO, apollo11 and ApolloTrainer", known=known)
        == f"{word}, {word}11 and {word}Trainer"
    )
    assert "moon" not in read("the moon shot failed", known=known)
    assert known is KNOWN.with_words(frozenset({"Apollo", "moon shot"}))
    assert KNOWN.with_words(frozenset()) is KNOWN


@pytest.mark.parametrize(
    "line",
    [
        "zeus:1:2 [0] NCCL INFO x",
        "nfs: server zeus not responding",
        "Nov  9 03:12:44 zeus kernel: x",
        "2026-11-09T03:12:44+0900 zeus kernel: x",
        "srun: error: zeus-7: tasks 0-3: Killed",
        "mount -t nfs zeus7:/export/x /y",
        "NodeList=mars1,zeus7 Reason=x",
        "torchrun --master_addr zeus --nnodes 2",
        "MASTER_ADDR=zeus MASTER_PORT=29500",
        "ssh zeus@10.1.2.3",
        "uid=1001(zeus) gid=0(root)",
        "user zeus(1001) logged in",
        "wandb: Currently logged in as: zeus",
        "wandb: Syncing run zeus-4",
        "Connection closed by remote peer zeus-7<47861>",
        "JobId=12 Name=zeus UserId=mars(1)",
        "--dataset zeus --lr 1",
        "{'model_name_or_path': 'mars/zeus', 'lr': 1}",
        "https://zeus.example/x",
        "ip-10-1-2-3.zeus.internal",
    ],
)
def test_who_knows_no_names_hides_what_is_told_to_be_one(line: str) -> None:
    told = read(line, known=KnownNames())
    assert "zeus" not in told
    assert read(told, known=KnownNames()) == told
