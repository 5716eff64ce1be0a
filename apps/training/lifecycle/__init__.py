"""States of a session as schedulers report them, and the lanes they stand in.

`states.toml` says which lane a word of which scheduler belongs to (`meaning_of`); `spans` makes
the lanes of one attempt out of what several parties reported of it.
"""
