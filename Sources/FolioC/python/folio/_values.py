"""Values of the library as values of Python."""

from __future__ import annotations

import ctypes
import datetime
import decimal
import os
import struct
import uuid
from collections.abc import Iterable
from typing import Any, NamedTuple, Optional, Union

from . import _library as c

(
    NULL, INTEGER, BOOLEAN, DOUBLE, FLOAT, DECIMAL, DATE, STRING, BYTES, UUID, URI, LARGE, COMPOSITE, REFERENCE,
    REFERENCES, LIST,
) = range(16)

_EPOCH = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)
_string_at = ctypes.string_at
_two_words = struct.Struct("<QQ")
reference_layout = struct.Struct("<qi4x")


class Reference(NamedTuple):
    """The name of an object in its document: its primary key and the index of its entity."""

    key: int
    entity: int


class Large(NamedTuple):
    """A large value in a row that was read in bulk: its size in bytes, or -1 if its file is missing. ``Object.open``
    reads it."""

    size: int


def date(seconds: float) -> Union[datetime.datetime, float]:
    """A date of the library: a datetime in UTC, or the number of seconds where the calendar has none."""
    try:
        return _EPOCH + datetime.timedelta(seconds=seconds)
    except (OverflowError, ValueError):
        return seconds


def optional_date(seconds: float) -> Any:
    return None if seconds != seconds else date(seconds)


def seconds(moment: datetime.date) -> float:
    if isinstance(moment, datetime.datetime):
        if moment.tzinfo is None:
            moment = moment.astimezone()
        return (moment - _EPOCH) / datetime.timedelta(seconds=1)
    return (datetime.datetime(moment.year, moment.month, moment.day, tzinfo=datetime.timezone.utc) - _EPOCH) / (
        datetime.timedelta(seconds=1))


def _composite(address: int, count: int) -> dict[str, Any]:
    members: Any = (c.Member * count).from_address(address) if count else ()
    return {member.name.decode(): decoded(member.value) for member in members}


def _references(address: int, count: int) -> list[Reference]:
    return [Reference(*parts) for parts in reference_layout.iter_unpack(_string_at(address, count * 16))] if count else []


def decode(kind: int, first: int, second: int, number: float) -> Any:
    """The value of a type, from the two words of the union, the first of them also as a floating-point number."""
    if kind == STRING or kind == URI:
        return _string_at(first, second).decode()
    if kind == INTEGER:
        return first - (1 << 64) if first >> 63 else first
    if kind == NULL:
        return None
    if kind == DOUBLE or kind == FLOAT:
        return number
    if kind == BOOLEAN:
        return bool(first & 0xFF)
    if kind == DATE:
        return date(number)
    if kind == DECIMAL:
        return decimal.Decimal(_string_at(first, second).decode())
    if kind == BYTES:
        return _string_at(first, second)
    if kind == UUID:
        return uuid.UUID(bytes=_two_words.pack(first, second))
    if kind == LARGE:
        return Large(first - (1 << 64) if first >> 63 else first)
    if kind == REFERENCE:
        return Reference(*reference_layout.unpack(_two_words.pack(first, second)))
    if kind == REFERENCES:
        return _references(first, second)
    if kind == COMPOSITE:
        return _composite(first, second)
    raise ValueError(f"the library has no type of values {kind}")


def decoded(value: Any) -> Any:
    """The value of one structure."""
    first, second = _two_words.unpack(bytes(value.as_))
    return decode(value.type, first, second, value.as_.number)


def encode(value: Any, keep: list[Any]) -> Any:
    """A structure for a value. What it points to is added to `keep`, and lives as long as that."""
    result = c.Value()
    if value is None:
        result.type = NULL
    elif isinstance(value, bool):
        result.type, result.as_.boolean = BOOLEAN, value
    elif isinstance(value, int):
        if not -(1 << 63) <= value < 1 << 63:
            raise OverflowError("an integer of a document has 64 bits")
        result.type, result.as_.integer = INTEGER, value
    elif isinstance(value, float):
        result.type, result.as_.number = DOUBLE, value
    elif isinstance(value, str):
        _point(result, STRING, value.encode(), keep)
    elif isinstance(value, (bytes, bytearray, memoryview)):
        _point(result, BYTES, bytes(value), keep)
    elif isinstance(value, decimal.Decimal):
        _point(result, DECIMAL, str(value).encode(), keep)
    elif isinstance(value, uuid.UUID):
        result.type, result.as_.uuid = UUID, (ctypes.c_uint8 * 16)(*value.bytes)
    elif isinstance(value, datetime.date):
        result.type, result.as_.number = DATE, seconds(value)
    elif isinstance(value, Reference):
        result.type, result.as_.reference = REFERENCE, c.Reference(*value)
    elif hasattr(value, "reference"):
        result.type, result.as_.reference = REFERENCE, c.Reference(*value.reference)
    elif isinstance(value, dict):
        members = (c.Member * len(value))()
        for member, (name, part) in zip(members, value.items()):
            member.name, member.value = name.encode(), encode(part, keep)
        keep.append(members)
        result.type = COMPOSITE
        result.as_.text.data, result.as_.text.size = ctypes.addressof(members), len(members)
    elif isinstance(value, os.PathLike):
        _point(result, STRING, os.fsencode(value), keep)
    else:
        elements = [encode(element, keep) for element in value]
        values = (c.Value * len(elements))(*elements)
        keep.append(values)
        result.type = LIST
        result.as_.text.data, result.as_.text.size = ctypes.addressof(values), len(elements)
    return result


def encode_references(objects: Iterable[Any], keep: list[Any]) -> Any:
    """A structure for the objects of a to-many relationship."""
    items = [c.Reference(*(object if isinstance(object, Reference) else object.reference)) for object in objects]
    references = (c.Reference * len(items))(*items)
    keep.append(references)
    result = c.Value()
    result.type = REFERENCES
    result.as_.text.data, result.as_.text.size = ctypes.addressof(references), len(items)
    return result


def _point(result: Any, kind: int, content: bytes, keep: list[Any]) -> None:
    keep.append(content)
    result.type = kind
    result.as_.text.data = ctypes.cast(ctypes.c_char_p(content), ctypes.c_void_p).value
    result.as_.text.size = len(content)
