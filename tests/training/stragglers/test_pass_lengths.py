"""Do long forward passes go with long backward ones?"""

from apps.training.stragglers.pass_lengths import pass_correlation
from apps.training.stragglers.step_trace import step_trace
from tests.cast.step_traces import Job, draw


def test_passes_that_all_take_the_same_time_tell_nothing_of_lengths() -> None:
    told = draw(Job(seed=1, replicas=2, stages=2, steps=2, microbatches=2)).columns
    even = {**told, "duration": [0.5 for _ in told["duration"]]}
    assert pass_correlation(step_trace(even)) is None
    assert pass_correlation(step_trace(told)) is not None
