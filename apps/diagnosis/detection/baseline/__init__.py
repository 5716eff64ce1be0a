"""What is usual for one machine, learnt from a table of its metrics: rows = time.

Reading order: `tails` (how far is far for one column), `views` (level, jump, relation: three ways
to be unusual), `learn` (a table → `Usual`), `follow` (rows after it → scores, causally, in any
cuts), `spells` (scores → episodes), `blame` (which columns of a span are responsible), `rhythm`
(how long a row is, where nobody says).
"""
