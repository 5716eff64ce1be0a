"""Who fails again: how much of all exclusions few nodes have, lemons, and when the next one comes.

`concentrations` measures the exclusions of a fleet, all and by cause (`is_uneven`); `lemon_scores`
says which nodes stand out in seven signals and by what (`is_lemon`); `hazards` how soon the next
incident of a node follows its first, second, third (`mean_days` with `mean_days_interval`).
"""
