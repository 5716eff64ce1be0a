"""From observations to causes: what belongs to the failure, how much it weighs, whom it blames."""
