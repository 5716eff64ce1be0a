"""What can be wrong with a source, or with one query."""


class SourceUnreachable(Exception):
    """A source gives no usable answer; the message says what was tried and what to do."""


class QueryFailed(Exception):
    """The server is well and refuses one query."""


class TooMuch(QueryFailed):
    """The server refuses one query for its size: it may be asked for less."""


class Overloaded(SourceUnreachable):
    """The server was too slow, too busy or sent too much: it may be asked for less."""
