"""Training sessions: what schedulers reported of them, what they did, how they recovered."""
