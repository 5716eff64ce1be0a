"""Step times: what was read of steps, a strip of bounded size, and when a run became slower.

`step_times` makes times of readings; `step_strip` draws them, `level_changes` and `slow_spells`
say when and by how much a run became slower (a change that `is_slower`).
"""
