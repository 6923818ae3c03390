"""Objects, relationships, results and large values."""

import ctypes
import io
import os
from collections.abc import MutableSequence, Sequence
from ctypes import byref, c_char_p, c_int, c_int64, c_size_t, c_void_p, memmove

from . import _library as c
from . import _values as values
from ._errors import call, encoded, owned_text
from ._library import library
from ._values import Reference

_BATCH = 2048


class Object:
    """An object of a document.

    Attributes and relationships are attributes of the Python object, or its items: ``book.title``, ``book["title"]``.
    A to-one relationship is an `Object` or None, a to-many relationship `Members`, a binary attribute bytes. Two
    instances for the same object are equal.
    """

    __slots__ = ("_handle", "_document", "_entity", "__weakref__")

    def __init__(self, handle, document):
        object.__setattr__(self, "_handle", handle)
        object.__setattr__(self, "_document", document)
        object.__setattr__(self, "_entity", None)

    def __del__(self):
        if library is not None:
            library.folio_object_free(self._handle)

    @property
    def document(self):
        return self._document

    @property
    def entity(self):
        """The entity of the object."""
        if self._entity is None:
            object.__setattr__(self, "_entity", self._document._entities[self.reference.entity])
        return self._entity

    @property
    def reference(self):
        """The name of the object in its document; that of a new object changes with its first save."""
        reference = c.Reference()
        call(library.folio_object_reference, self._handle, byref(reference))
        return Reference(reference.key, reference.entity)

    @property
    def uri(self):
        return owned_text(call(library.folio_object_uri, self._handle))

    @property
    def is_inserted(self):
        return bool(self._changes & 1)

    @property
    def is_updated(self):
        return bool(self._changes & 2)

    @property
    def is_deleted(self):
        return bool(self._changes & 4)

    @property
    def _changes(self):
        changes = c_int()
        call(library.folio_object_changes, self._handle, byref(changes))
        return changes.value

    # Values

    def __getitem__(self, key):
        value = c.Value()
        call(library.folio_object_get, self._handle, encoded(key), byref(value))
        if value.type == values.REFERENCES:
            return Members(self, key)
        if value.type == values.REFERENCE:
            related = c_void_p()
            call(library.folio_object_get_object, self._handle, encoded(key), byref(related))
            return Object(related.value, self._document) if related.value else None
        if value.type == values.LARGE:
            with self.open(key) as stream:
                return stream.read()
        return values.decoded(value)

    def __setitem__(self, key, value):
        name = encoded(key)
        kind = self.entity.property(key)
        if isinstance(value, Object) or (value is None and kind and kind.destination):
            if value is not None or not kind.is_to_many:
                return call(library.folio_object_set_object, self._handle, name, value and value._handle)
        if kind and kind.is_binary and isinstance(value, os.PathLike):
            return call(library.folio_object_set_file, self._handle, name, encoded(os.fsencode(value)))
        if kind and kind.is_binary and hasattr(value, "read"):
            return self._set_stream(name, value)
        keep = []
        if kind and kind.is_to_many:
            structure = values.encode_references(value or (), keep)
        else:
            structure = values.encode(value, keep)
        call(library.folio_object_set, self._handle, name, byref(structure))

    def _set_stream(self, name, stream):
        failure = []

        def give(_, buffer, size):
            try:
                piece = bytes(stream.read(size))
                if len(piece) > size:
                    raise ValueError(f"read({size}) of the stream returned {len(piece)} bytes")
                memmove(buffer, piece, len(piece))
                return len(piece)
            except BaseException as error:
                failure.append(error)
                return -1

        try:
            call(library.folio_object_set_stream, self._handle, name, c.SOURCE(give), None)
        except Exception:
            if failure:
                raise failure.pop()
            raise

    def __getattr__(self, key):
        if key.startswith("_"):
            raise AttributeError(key)
        if self.entity.property(key) is None:
            raise AttributeError(f"{self.entity.name} has no property {key}")
        return self[key]

    def __setattr__(self, key, value):
        if self.entity.property(key) is None:
            raise AttributeError(f"{self.entity.name} has no property {key}")
        self[key] = value

    def __dir__(self):
        return sorted(set(super().__dir__()) | {property.name for property in self.entity.properties})

    def read(self, *keys):
        """The values of several keys as a tuple. A key may be a path: ``"author.name"``. Relationships are references."""
        names = (c_char_p * len(keys))(*[encoded(key) for key in keys])
        structures = (c.Value * len(keys))()
        call(library.folio_object_read, self._handle, names, len(keys), structures)
        return tuple(values.decoded(value) for value in structures)

    def update(self, **items):
        """Sets several properties."""
        for key, value in items.items():
            self[key] = value

    def open(self, key):
        """A binary stream that reads an attribute piece by piece."""
        return Stream(call(library.folio_object_open_stream, self._handle, encoded(key)))

    def delete(self):
        call(library.folio_object_delete, self._handle)

    def refresh(self):
        """Discards the unsaved changes of the object."""
        call(library.folio_object_refresh, self._handle)

    def validate(self):
        """Raises `ValidationError` if the object violates a rule of the model."""
        call(library.folio_object_validate, self._handle)

    def validate_value(self, key, value):
        """Raises `ValidationError` if the object can't have a value."""
        keep = []
        call(library.folio_object_validate_value, self._handle, encoded(key), byref(values.encode(value, keep)))

    def __eq__(self, other):
        if not isinstance(other, Object):
            return NotImplemented
        return self is other or (self._document is other._document and self.reference == other.reference)

    def __hash__(self):
        """A new object gets a reference for good, since a hash does not change."""
        reference = self.reference
        if reference.key < 0:
            call(library.folio_object_obtain_permanent_reference, self._handle)
            reference = self.reference
        return hash(reference.key)

    def __repr__(self):
        try:
            return f"<{self.entity.name} {self.uri}>"
        except Exception as error:
            return f"<Object: {error}>"


class Members(MutableSequence):
    """The objects of a to-many relationship. Changes of the collection change the relationship. An object is a member
    once; the order of an unordered relationship is that of the objects' names."""

    def __init__(self, owner, key):
        self._owner = owner
        self._key = encoded(key)

    @property
    def results(self):
        """The present objects as `Results`, for reading many at once."""
        handle = call(library.folio_object_get_objects, self._owner._handle, self._key)
        return Results(handle, self._owner._document)

    def __len__(self):
        return len(self.results)

    def __getitem__(self, index):
        return self.results[index]

    def __iter__(self):
        return iter(self.results)

    def add(self, member):
        """Adds an object, at the end of an ordered relationship."""
        call(library.folio_object_add, self._owner._handle, self._key, member._handle)

    append = add

    def insert(self, index, member):
        """Adds an object to an ordered relationship, or moves it."""
        count = len(self)
        index = max(0, index + count) if index < 0 else min(index, count)
        if member in self and index == count:
            index -= 1
        call(library.folio_object_insert_at, self._owner._handle, self._key, member._handle, index)

    def remove(self, member):
        """Removes an object. Does nothing if it is no member."""
        call(library.folio_object_remove, self._owner._handle, self._key, member._handle)

    discard = remove

    def __delitem__(self, index):
        for member in [self[index]] if isinstance(index, int) else self[index]:
            self.remove(member)

    def __setitem__(self, index, value):
        members = list(self)
        members[index] = value
        self._owner[self._key.decode()] = members

    def __eq__(self, other):
        return list(self) == list(other) if isinstance(other, (Sequence, set)) else NotImplemented

    __hash__ = None

    def __repr__(self):
        return repr(list(self))


class Results(Sequence):
    """A list of objects, which are made when they are looked at."""

    def __init__(self, handle, document, is_borrowed=False):
        self._handle = handle
        self._document = document
        self._is_borrowed = is_borrowed

    def __del__(self):
        if library is not None and not self._is_borrowed:
            library.folio_results_free(self._handle)

    def __len__(self):
        return library.folio_results_count(self._handle)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        count = len(self)
        if not -count <= index < count:
            raise IndexError(index)
        return Object(call(library.folio_results_object, self._handle, index % count), self._document)

    def __iter__(self):
        for index in range(len(self)):
            yield Object(call(library.folio_results_object, self._handle, index), self._document)

    @property
    def references(self):
        count = len(self)
        items = (c.Reference * count)()
        call(library.folio_results_references, self._handle, 0, count, items)
        return [Reference(item.key, item.entity) for item in items]

    def rows(self, *keys):
        """The values of some keys of each object, as tuples, read many at a time. A key may be a path:
        ``"author.name"``. Relationships are references, large values their sizes (`Large`)."""
        if not keys:
            yield from (() for _ in range(len(self)))
            return
        for columns in self._batches(keys):
            yield from zip(*columns)

    def dicts(self, *keys):
        """The rows as dictionaries."""
        for row in self.rows(*keys):
            yield dict(zip(keys, row))

    def columns(self, *keys):
        """The values by key, each a list: ``pandas.DataFrame(results.columns("title", "year"))``."""
        result = {key: [] for key in keys}
        for batch in self._batches(keys) if keys else ():
            for key, column in zip(keys, batch):
                result[key].extend(column)
        return result

    def _batches(self, keys):
        count, width = len(self), len(keys)
        names = (c_char_p * width)(*[encoded(key) for key in keys])
        size = ctypes.sizeof(c.Value)
        buffer = bytearray(min(count, _BATCH) * width * size)
        place = (ctypes.c_char * len(buffer)).from_buffer(buffer) if buffer else None
        for first in range(0, count, _BATCH):
            number = min(_BATCH, count - first)
            call(library.folio_results_read, self._handle, first, number, names, width, place)
            view = memoryview(buffer)[: number * width * size]
            yield [_column(view, index, width) for index in range(width)]

    def __repr__(self):
        return f"<{len(self)} results>"


_TEXT = {values.STRING, values.URI}
# Makes text of bytes somewhere without a copy of these.
_text_at = ctypes.pythonapi.PyUnicode_FromStringAndSize
_text_at.argtypes = [c_void_p, ctypes.c_ssize_t]
_text_at.restype = ctypes.py_object


def _column(view, index, width):
    """The values of a column. A value is three words: its type, in the first half of a word, and two words of the union.
    Columns of one type are made without a step of Python for each value."""
    kinds = view.cast("i")[6 * index :: 6 * width].tolist()
    first = view.cast("q")[3 * index + 1 :: 3 * width]
    found = set(kinds)
    if found == {values.INTEGER}:
        return first.tolist()
    if found <= _TEXT:
        return list(map(_text_at, first.tolist(), view.cast("q")[3 * index + 2 :: 3 * width].tolist()))
    if found <= {values.DOUBLE, values.FLOAT}:
        return view.cast("d")[3 * index + 1 :: 3 * width].tolist()
    if found == {values.BOOLEAN}:
        return list(map(bool, view.cast("B")[24 * index + 8 :: 24 * width].tolist()))
    if found == {values.NULL}:
        return [None] * len(kinds)
    second = view.cast("Q")[3 * index + 2 :: 3 * width].tolist()
    numbers = view.cast("d")[3 * index + 1 :: 3 * width].tolist()
    if found <= {values.NULL, values.DATE}:
        date = values.date
        return [date(number) if kind else None for kind, number in zip(kinds, numbers)]
    if found <= _TEXT | {values.NULL}:
        return [_text_at(start, size) if kind else None for kind, start, size in zip(kinds, first.tolist(), second)]
    if found <= {values.NULL, values.INTEGER}:
        return [number if kind else None for kind, number in zip(kinds, first.tolist())]
    if found <= {values.NULL, values.DOUBLE, values.FLOAT}:
        return [number if kind else None for kind, number in zip(kinds, numbers)]
    decode, unsigned = values.decode, view.cast("Q")[3 * index + 1 :: 3 * width].tolist()
    return [decode(*cell) for cell in zip(kinds, unsigned, second, numbers)]


class Stream(io.RawIOBase):
    """A large value that is read piece by piece."""

    def __init__(self, handle):
        self._handle = handle
        self._offset = 0

    @property
    def size(self):
        return library.folio_stream_size(self._handle)

    def readable(self):
        return True

    def seekable(self):
        return True

    def readinto(self, buffer):
        view = memoryview(buffer).cast("B")
        if not len(view):
            return 0
        done = c_size_t()
        place = (ctypes.c_char * len(view)).from_buffer(view)
        call(library.folio_stream_read, self._handle, place, len(view), byref(done))
        self._offset += done.value
        return done.value

    def seek(self, offset, whence=io.SEEK_SET):
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._offset, io.SEEK_END: self.size}[whence]
        call(library.folio_stream_seek, self._handle, c_int64(base + offset))
        self._offset = base + offset
        return self._offset

    def tell(self):
        return self._offset

    def close(self):
        if not self.closed and library is not None:
            library.folio_stream_free(self._handle)
        super().close()
