"""What ranks and libraries dumped about their collectives, read without building any object.

Read in this order: `pickled` (pickle → plain data), `flight_recorder`, `ras`, `inspector`
(plain data → values), `lines` (any dump ↔ lines of text, so that a dump travels as a log does),
`standstill` (all ranks' dumps → who never arrived).
"""
