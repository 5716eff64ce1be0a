"""Decimal numbers in one text → float64, all at once and bit for bit what `float()` gives.

Digits are read eight at a time as one integer. A number of at most 19 digits is an integer and a
power of ten; their quotient is exact arithmetic as long as the integer is below 2**53 (W. Clinger,
*How to read floating point numbers accurately*, 1990), above it is computed with twice the
precision. What is longer, has an exponent, is no number, or lies too near the middle between two
floats to tell goes through `float()`.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Words = NDArray[np.uint64]
Truths = NDArray[np.bool_]

# Bytes that must stand before a text: a word of eight digits is read up to its last one.
MARGIN: Final = 24
MOST_DIGITS: Final = 19  # 10**19 - 1 still fits into 64 bits
EXACT: Final = np.uint64(2**53)
POWERS: Final = np.array([10**n for n in range(MOST_DIGITS + 1)], dtype=np.uint64)
TENS: Final = np.array([10.0**n for n in range(MOST_DIGITS + 1)])  # each is exact up to 10**22
ZEROS: Final = np.uint64(0x3030303030303030)
ABOVE_NINE: Final = np.uint64(0x7676767676767676)
HIGH_BITS: Final = np.uint64(0x8080808080808080)
SHIFTS: Final = np.array([8 * (8 - n) for n in range(9)], dtype=np.uint64)
JOINS: Final = tuple(
    (np.uint64(factor), np.uint64(width), np.uint64(mask))
    for factor, width, mask in (
        (1 + (10 << 8), 8, 0x00FF00FF00FF00FF),
        (1 + (100 << 16), 16, 0x0000FFFF0000FFFF),
        (1 + (10_000 << 32), 32, 0xFFFFFFFF),
    )
)
ZERO: Final = np.uint8(ord("0"))
STAMP_DIGITS: Final = 10
SPLITTER: Final = 2.0**27 + 1.0
# The quotient with twice the precision is off by less than this share of half a unit.
DOUBT: Final = 2.0**-40


def floats(*, text: bytes, starts_at: Places, dots_at: Places, ends_at: Places) -> Floats:
    """Return the numbers that stand in `text[starts_at:ends_at]`; raise ValueError for no number.

    `dots_at` is where the decimal point stands, or the end where there is none. Before the first
    number there must be `MARGIN` bytes of anything.
    """
    raw = np.frombuffer(text, dtype=np.uint8)
    words = _words(text)
    is_negative = raw[starts_at] == ord("-")
    begins_at = starts_at + is_negative
    whole_count = dots_at - begins_at
    part_count = np.maximum(ends_at - dots_at - 1, 0)
    whole, is_odd = _digits(words, dots_at, whole_count)
    part, is_odd_part = _digits(words, ends_at, part_count)
    # A dot needs digits on both sides; a digit too many could overflow.
    is_odd |= is_odd_part | (whole_count < 1) | (ends_at - dots_at == 1)
    is_odd |= (whole_count + part_count > MOST_DIGITS) & ((whole > 0) | (part_count > MOST_DIGITS))
    part_count = np.minimum(part_count, MOST_DIGITS)
    values, is_near = _quotients(whole * POWERS[part_count] + part, part_count)
    np.negative(values, out=values, where=is_negative)
    _one_by_one(values, np.flatnonzero(is_odd | is_near), text, starts_at, ends_at)
    return values


def stamps(*, text: bytes, starts_at: Places, ends_at: Places) -> Floats | None:
    """Return integers of ten digits, as whole Unix seconds are, or nothing if one is none."""
    if not (ends_at - starts_at == STAMP_DIGITS).all():
        return None
    raw = np.frombuffer(text, dtype=np.uint8)
    tens, ones = raw[starts_at] - ZERO, raw[starts_at + 1] - ZERO
    rest, is_odd = _eight(_words(text), ends_at, np.full(ends_at.shape, 8))
    if is_odd.any() or (tens > 9).any() or (ones > 9).any():
        return None
    return (tens * 10.0 + ones) * 1e8 + rest


def _words(text: bytes) -> Words:
    """Return the eight bytes from each place on as one integer; nothing is copied."""
    return np.ndarray((len(text) - 7,), dtype="<u8", buffer=text, strides=(1,))


def _digits(words: Words, ends_at: Places, counts: Places) -> tuple[Words, Truths]:
    """Return the integers whose `counts` digits end before `ends_at`, and which are none."""
    found = np.zeros(counts.shape, dtype=np.uint64)
    is_odd = counts > MOST_DIGITS
    for done in (0, 8, 16):
        rows = np.flatnonzero(counts > done)
        if rows.size == counts.size:
            more, is_odd_too = _eight(words, ends_at - done, counts - done)
            found += more * POWERS[done]
            is_odd |= is_odd_too
        elif rows.size:
            more, is_odd_too = _eight(words, ends_at[rows] - done, counts[rows] - done)
            found[rows] += more * POWERS[done]
            is_odd[rows] |= is_odd_too
    return found, is_odd


def _eight(words: Words, ends_at: Places, counts: Places) -> tuple[Words, Truths]:
    """Return the last eight digits, or as many as there are, of each integer."""
    shift = SHIFTS.take(counts, mode="clip")
    digits = words[ends_at - 8]
    digits ^= ZEROS
    # The first digit is in the lowest byte: what stands before the number is shifted out.
    digits >>= shift
    digits <<= shift
    is_odd = (((digits + ABOVE_NINE) | digits) & HIGH_BITS) != 0
    # Neighbours are joined to numbers of two, of four, of eight digits.
    for factor, width, mask in JOINS:
        digits *= factor
        digits >>= width
        digits &= mask
    return digits, is_odd


def _quotients(mantissas: Words, exponents: Places) -> tuple[Floats, Truths]:
    """Return mantissa / 10**exponent, rounded once, and which could not be rounded for sure."""
    tens = TENS[exponents]
    values = mantissas.astype(np.float64) / tens
    is_near = np.zeros(values.shape, dtype=np.bool_)
    rows = np.flatnonzero((mantissas > EXACT) & (exponents > 0))
    if rows.size:
        values[rows], is_near[rows] = _long_quotients(mantissas[rows], tens[rows])
    return values, is_near


def _long_quotients(mantissas: Words, tens: Floats) -> tuple[Floats, Truths]:
    # The mantissa is upper + lower, the quotient first + second; T. J. Dekker, *A floating-point
    # technique for extending the available precision*, 1971, has the product without error.
    upper = (mantissas >> np.uint64(11) << np.uint64(11)).astype(np.float64)
    lower = (mantissas & np.uint64(2047)).astype(np.float64)
    first = (upper + lower) / tens
    product, error = _product(first, tens)
    second = (((upper - product) - error) + lower) / tens
    values = first + second
    rest = np.abs(second - (values - first))
    half = np.spacing(values) / 2
    # Below a power of two the next float is half as far.
    is_near = (np.abs(rest - half) < DOUBT * half) | (np.abs(rest - half / 2) < DOUBT * half)
    return values, is_near


def _product(one: Floats, other: Floats) -> tuple[Floats, Floats]:
    product = one * other
    one_high, one_low = _halves(one)
    other_high, other_low = _halves(other)
    error = ((one_high * other_high - product) + one_high * other_low + one_low * other_high) + (
        one_low * other_low
    )
    return product, error


def _halves(value: Floats) -> tuple[Floats, Floats]:
    scaled = SPLITTER * value
    high = scaled - (scaled - value)
    return high, value - high


def _one_by_one(
    values: Floats, rows: Places, text: bytes, starts_at: Places, ends_at: Places
) -> None:
    spans = zip(rows.tolist(), starts_at[rows].tolist(), ends_at[rows].tolist(), strict=True)
    for row, start, end in spans:
        values[row] = float(text[start:end])
