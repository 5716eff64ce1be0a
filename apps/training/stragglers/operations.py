"""The kinds of operations that a training step is made of, as NDTimeline names them."""

from typing import Final

FORWARD, BACKWARD = "forward-compute", "backward-compute"
FORWARD_SEND, FORWARD_RECEIVE = "forward-send", "forward-recv"
BACKWARD_SEND, BACKWARD_RECEIVE = "backward-send", "backward-recv"
PARAMETERS_GATHER: Final = "params-all-gather"
GRADIENTS_SCATTER: Final = "grads-reduce-scatter"
GRADIENTS_SEPARATE: Final = "separate-grads-all-reduce"
LAYERNORM: Final = "layernorm-grads-all-reduce"
EMBEDDING: Final = "embedding-grads-all-reduce"
CLIP, OPTIMIZER = "optimizer-clip-main-grad", "optimizer"
COLLECTION: Final = "gc"

COMPUTING: Final = frozenset({FORWARD, BACKWARD})
# Between pipeline stages: stream → where the peer's chunk lies, and what the peer does.
PIPELINE: Final = {
    FORWARD_SEND: (1, FORWARD_RECEIVE),
    FORWARD_RECEIVE: (-1, FORWARD_SEND),
    BACKWARD_SEND: (-1, BACKWARD_RECEIVE),
    BACKWARD_RECEIVE: (1, BACKWARD_SEND),
}
DATA_PARALLEL: Final = (PARAMETERS_GATHER, GRADIENTS_SCATTER, GRADIENTS_SEPARATE)
# Whose usual duration is the median of its transfers, not the mean: waits and retries are skewed.
COMMUNICATING: Final = frozenset({*PIPELINE, *DATA_PARALLEL, LAYERNORM, EMBEDDING, CLIP})
KNOWN: Final = frozenset({*COMPUTING, *COMMUNICATING, OPTIMIZER, COLLECTION})
# What is told together: both ends of a transfer between stages are one thing.
TOLD_AS: Final = {
    FORWARD_SEND: "forward-pp-comm",
    FORWARD_RECEIVE: "forward-pp-comm",
    BACKWARD_SEND: "backward-pp-comm",
    BACKWARD_RECEIVE: "backward-pp-comm",
}
