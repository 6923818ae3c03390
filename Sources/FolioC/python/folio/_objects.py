"""Objects, relationships, results and large values."""

from __future__ import annotations

import ctypes
import io
import os
import threading
from collections.abc import Callable, Iterable, Iterator, MutableSequence, Sequence
from ctypes import byref, c_char_p, c_int, c_int64, c_size_t, c_void_p, memmove
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, NoReturn, Optional, TypeVar, Union, overload

from . import _library as c
from . import _values as values
from ._errors import call, encoded, owned_text
from ._library import library
from ._values import Reference

if TYPE_CHECKING:
    from ._document import Document, Entity, Property

_BATCH = 2048


class Uncopied:
    """What has a handle of the library: a copy would free it twice."""

    __slots__ = ()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        raise TypeError(f"{type(self).__name__} can't be copied or pickled: keep the URI of an object, or a list")


# Values that were read are kept in Python, by columns, as long as the document's change count is the one from before
# they were read. All reading through a handle takes the document's lock, since the next reading through the same
# handle frees the memory of the values.


class _Own:
    """The values of one object."""

    __slots__ = ("count", "stamp", "columns")

    def __init__(self, document: Document) -> None:
        self.count = document._count
        self.stamp = self.count.value
        self.columns: dict[str, Any] = {}

    def load(self, instance: ModelObject, name: str) -> Any:
        value = instance._get(name)
        self.columns[name] = {instance._position: value}
        return value

    def open(self, position: int) -> NoReturn:
        raise AssertionError("an object with values of its own has a handle")


class _Batch:
    """The values of neighboring objects of results, read for all of them when one is asked for."""

    __slots__ = ("count", "stamp", "columns", "results", "first", "size")

    def __init__(self, results: Results[Any], first: int, size: int) -> None:
        self.count = results._document._count
        self.stamp = self.count.value
        self.columns: dict[str, Any] = {}
        self.results = results
        self.first = first
        self.size = size

    def load(self, instance: ModelObject, name: str) -> Any:
        column = self.results._read(self.first, self.size, (name,))[0]
        self.columns[name] = column
        return column[instance._position]

    def open(self, position: int) -> int:
        return self.results._open(self.first + position)


class _Attribute:
    """An attribute whose values are kept."""

    __slots__ = ("name", "property")

    def __init__(self, property: Property) -> None:
        self.name = property.name
        self.property = property

    def __get__(self, instance: Optional[ModelObject], owner: Any = None) -> Any:
        if instance is None:
            return self
        known = instance._values
        if known.stamp == known.count.value:
            column = known.columns.get(self.name)
            if column is not None:
                return column[instance._position]
            return known.load(instance, self.name)
        return instance._renewed().load(instance, self.name)

    def __set__(self, instance: ModelObject, value: Any) -> None:
        instance._set(self.property, value)


class _Looked:
    """A relationship, or an attribute of bytes, which is read anew each time."""

    __slots__ = ("name", "property")

    def __init__(self, property: Property) -> None:
        self.name = property.name
        self.property = property

    def __get__(self, instance: Optional[ModelObject], owner: Any = None) -> Any:
        if instance is None:
            return self
        return Members(instance, self.property) if self.property.is_to_many else instance._get(self.name)

    def __set__(self, instance: ModelObject, value: Any) -> None:
        instance._set(self.property, value)


class ModelObject(Uncopied):
    """An object of a document: what `Object` and the classes that `folio.stubs` makes of a model have in common.

    Attributes and relationships are attributes of the Python object, or its items: ``book.title``, ``book["title"]``.
    A property that is named like a member of this class, such as ``document`` or ``delete``, is an item only. A to-one
    relationship is an `Object` or None, a to-many relationship `Members`, a binary attribute bytes. Two instances for
    the same object are equal.
    """

    __slots__ = ("_document", "_values", "_position", "_opened", "_known", "__weakref__")

    _entity_index: int = -1
    _properties: dict[str, Union[_Attribute, _Looked]] = {}
    _document: Document
    _values: Union[_Own, _Batch]
    _position: int
    _opened: Optional[int]
    _known: Optional[Reference]

    @staticmethod
    def _of(handle: int, document: Document) -> ModelObject:
        """The object of a new handle."""
        reference = c.Reference()
        try:
            call(library.folio_object_reference, handle, byref(reference))
            kind = document._class(reference.entity)
        except Exception:
            # An object that is gone has a handle, and no entity.
            kind = Object
        made = kind.__new__(kind)
        made._document = document
        made._values = _Own(document)
        made._position = 0
        made._opened = handle
        made._known = Reference(reference.key, reference.entity) if reference.key > 0 else None
        return made

    def __del__(self) -> None:
        handle = getattr(self, "_opened", None)
        if handle is not None and library is not None:
            library.folio_object_free(handle)

    @property
    def _handle(self) -> int:
        if self._opened is None:
            with self._document._lock:
                if self._opened is None:
                    self._opened = self._values.open(self._position)
        return self._opened

    def _renewed(self) -> _Own:
        """The place of the object's values, after a change of the document."""
        with self._document._lock:
            self._opened = self._handle
            own = self._values = _Own(self._document)
        return own

    @property
    def document(self) -> Document:
        """The document that the object belongs to."""
        return self._document

    @property
    def entity(self) -> Entity[Any]:
        """The entity of the object."""
        if self._entity_index < 0:
            return self._document._entity(self.reference.entity)
        return self._document._entity(self._entity_index)

    @property
    def reference(self) -> Reference:
        """The name of the object in its document; that of a new object changes with its first save."""
        if self._known is not None:
            return self._known
        reference = c.Reference()
        call(library.folio_object_reference, self._handle, byref(reference))
        named = Reference(reference.key, reference.entity)
        if reference.key > 0:
            self._known = named
        return named

    @property
    def uri(self) -> str:
        """The name of the object for other programs. It changes with the first save, and with `Document.save_as`."""
        return owned_text(call(library.folio_object_uri, self._handle))

    @property
    def is_inserted(self) -> bool:
        """Whether the object was inserted since the last save."""
        return bool(self._changes & 1)

    @property
    def is_updated(self) -> bool:
        """Whether the object was changed since the last save."""
        return bool(self._changes & 2)

    @property
    def is_deleted(self) -> bool:
        """Whether the object was deleted, and that is not saved."""
        return bool(self._changes & 4)

    @property
    def _changes(self) -> int:
        changes = c_int()
        call(library.folio_object_changes, self._handle, byref(changes))
        return changes.value

    # Values

    def __getitem__(self, key: str) -> Any:
        found = self._properties.get(key)
        return self._get(key) if found is None else found.__get__(self)

    def __setitem__(self, key: str, value: Any) -> None:
        found = self._properties.get(key)
        self._set(None if found is None else found.property, value, key)

    def _get(self, key: str) -> Any:
        handle, value = self._handle, c.Value()
        with self._document._lock:
            call(library.folio_object_get, handle, encoded(key), byref(value))
            if value.type not in (values.REFERENCE, values.REFERENCES, values.LARGE):
                return values.decoded(value)
        if value.type == values.LARGE:
            with self.open(key) as stream:
                return stream.read()
        related = c_void_p()
        call(library.folio_object_get_object, handle, encoded(key), byref(related))
        return ModelObject._of(related.value, self._document) if related.value else None

    def _set(self, kind: Optional[Property], value: Any, key: Optional[str] = None) -> None:
        name = encoded(kind.name if kind else key)
        if isinstance(value, ModelObject) or (value is None and kind and kind.destination):
            if value is not None or not (kind and kind.is_to_many):
                call(library.folio_object_set_object, self._handle, name, value and value._handle)
                return
        if kind and kind.is_binary and isinstance(value, os.PathLike):
            call(library.folio_object_set_file, self._handle, name, encoded(os.fsencode(value)))
            return
        if kind and kind.is_binary and hasattr(value, "read"):
            self._set_stream(name, value)
            return
        keep: list[Any] = []
        if kind and kind.is_to_many:
            structure = values.encode_references(value or (), keep)
        else:
            structure = values.encode(value, keep)
        call(library.folio_object_set, self._handle, name, byref(structure))

    def _set_stream(self, name: Optional[bytes], stream: BinaryIO) -> None:
        failure: list[BaseException] = []

        def give(_: Any, buffer: Any, size: int) -> int:
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
            # The lock is taken here as well as where values are read, and always before the document's own.
            with self._document._lock:
                call(library.folio_object_set_stream, self._handle, name, c.SOURCE(give), None)
        except Exception:
            if failure:
                raise failure.pop() from None
            raise

    def read(self, *keys: str) -> tuple[Any, ...]:
        """The values of several keys as a tuple. A key may be a path: ``"author.name"``. Relationships are references."""
        names = (c_char_p * len(keys))(*[encoded(key) for key in keys])
        structures = (c.Value * len(keys))()
        handle = self._handle
        with self._document._lock:
            call(library.folio_object_read, handle, names, len(keys), structures)
            return tuple(values.decoded(value) for value in structures)

    def update(self, **items: Any) -> None:
        """Sets several properties."""
        for key, value in items.items():
            self[key] = value

    def open(self, key: str) -> Stream:
        """A binary stream that reads an attribute piece by piece."""
        return Stream(call(library.folio_object_open_stream, self._handle, encoded(key)))

    def delete(self) -> None:
        """Deletes the object. Delete rules are applied when the event ends."""
        call(library.folio_object_delete, self._handle)

    def refresh(self) -> None:
        """Discards the unsaved changes of the object."""
        call(library.folio_object_refresh, self._handle)

    def validate(self) -> None:
        """Raises `ValidationError` if the object violates a rule of the model."""
        call(library.folio_object_validate, self._handle)

    def validate_value(self, key: str, value: Any) -> None:
        """Raises `ValidationError` if the object can't have a value."""
        keep: list[Any] = []
        call(library.folio_object_validate_value, self._handle, encoded(key), byref(values.encode(value, keep)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ModelObject):
            return NotImplemented
        return self is other or (self._document is other._document and self.reference == other.reference)

    def __hash__(self) -> int:
        """A new object gets a reference for good, since a hash does not change."""
        reference = self.reference
        if reference.key < 0:
            call(library.folio_object_obtain_permanent_reference, self._handle)
            reference = self.reference
        return hash(reference.key)

    def __repr__(self) -> str:
        try:
            return f"<{self.entity.name} {self.uri}>"
        except Exception as error:
            return f"<Object: {error}>"


class Object(ModelObject):
    """An object whose properties are known when the program runs. Each entity has a class of its own, with the name of
    the entity."""

    __slots__ = ()

    if TYPE_CHECKING:

        def __getattr__(self, key: str) -> Any: ...

        def __setattr__(self, key: str, value: Any) -> None: ...


# Types whose values are kept. Bytes may be large, and relationships are handles.
_KEPT = {
    values.INTEGER, values.BOOLEAN, values.DOUBLE, values.FLOAT, values.DECIMAL, values.DATE, values.STRING,
    values.UUID, values.URI, values.COMPOSITE,
}


def object_class(
    name: str, index: int, properties: Iterable[tuple[Property, int]], base: type[ModelObject],
) -> type[ModelObject]:
    """The class of the objects of an entity, whose properties have types of the library."""
    members: dict[str, Union[_Attribute, _Looked]] = {
        property.name: (_Attribute if kind in _KEPT else _Looked)(property) for property, kind in properties
    }
    namespace: dict[str, Any] = {
        "__slots__": (), "__module__": base.__module__, "__doc__": f"An object of the entity {name}.",
        "_entity_index": index, "_properties": members,
    }
    namespace.update((key, member) for key, member in members.items() if not hasattr(ModelObject, key))
    return type(name, (base,), namespace)


T = TypeVar("T", bound=ModelObject)


class Members(MutableSequence[T], Generic[T]):
    """The objects of a to-many relationship. Changes of the collection change the relationship.

    An object is a member once. Setting an item to an object that is a member already exchanges the two, so that no
    member is lost: ``c[0], c[1] = c[1], c[0]``, `reverse` and ``random.shuffle`` do what they do to a list. Whatever
    would make an object a member twice raises `ValueError` and changes nothing. The order of an unordered relationship
    is that of the objects' names: operations that are about an order raise `TypeError`.
    """

    def __init__(self, owner: ModelObject, property: Property) -> None:
        self._owner = owner
        self._property = property
        self._key = encoded(property.name)

    @property
    def results(self) -> Results[T]:
        """The present objects as `Results`, for reading many at once."""
        handle = call(library.folio_object_get_objects, self._owner._handle, self._key)
        return Results(handle, self._owner._document)

    def __len__(self) -> int:
        return len(self.results)

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> list[T]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[T, list[T]]:
        return self.results[index]

    def __iter__(self) -> Iterator[T]:
        return iter(self.results)

    def __contains__(self, member: object) -> bool:
        return (
            isinstance(member, ModelObject) and member._document is self._owner._document
            and member.reference in self.results.references)

    def index(self, member: Any, start: int = 0, stop: Optional[int] = None) -> int:
        """The index of a member. Raises `ValueError` if the object is none."""
        if isinstance(member, ModelObject) and member._document is self._owner._document:
            references = self.results.references
            return references.index(member.reference, start, len(references) if stop is None else stop)
        raise ValueError(f"{member!r} is no member")

    def count(self, member: Any) -> int:
        """1 for a member, 0 for anything else."""
        return int(member in self)

    def add(self, member: T) -> None:
        """Adds an object that is no member yet, at the end of an ordered relationship."""
        call(library.folio_object_add, self._owner._handle, self._key, _checked(member)._handle)

    def append(self, member: T) -> None:
        """Adds an object at the end of an ordered relationship, or moves it there."""
        if self._property.is_ordered and member in self:
            self.insert(len(self), member)
        else:
            self.add(member)

    def insert(self, index: int, member: T) -> None:
        """Adds an object to an ordered relationship, or moves it: it has the index afterwards."""
        self._check_order()
        count = len(self)
        index = max(0, index + count) if index < 0 else min(index, count)
        if _checked(member) in self and index == count:
            index -= 1
        call(library.folio_object_insert_at, self._owner._handle, self._key, member._handle, index)

    def remove(self, member: T) -> None:
        """Removes an object. Raises `ValueError` if it is no member."""
        if member not in self:
            raise ValueError(f"{member!r} is no member")
        self.discard(member)

    def discard(self, member: T) -> None:
        """Removes an object if it is a member."""
        call(library.folio_object_remove, self._owner._handle, self._key, _checked(member)._handle)

    def clear(self) -> None:
        """Removes all members."""
        self._replace([])

    def reverse(self) -> None:
        """Reverses the order."""
        self._check_order()
        self._replace(self.results.references[::-1])

    def sort(self, *, key: Optional[Callable[[T], Any]] = None, reverse: bool = False) -> None:
        """Sorts the members by values, as `list.sort` does."""
        self._check_order()
        members: list[Any] = list(self)
        members.sort(key=key, reverse=reverse)
        self._replace([member.reference for member in members])

    def __delitem__(self, index: Union[int, slice]) -> None:
        references = self.results.references
        del references[index]
        self._replace(references)

    @overload
    def __setitem__(self, index: int, value: T) -> None: ...

    @overload
    def __setitem__(self, index: slice, value: Iterable[T]) -> None: ...

    def __setitem__(self, index: Union[int, slice], value: Any) -> None:
        references = self.results.references
        if isinstance(index, slice):
            references[index] = [_checked(member).reference for member in value]
        else:
            reference = _checked(value).reference
            replaced = references[index]
            if reference in references:
                if reference == replaced:
                    return
                self._check_order()
                references[references.index(reference)] = replaced
            references[index] = reference
        self._replace(references)

    def _replace(self, references: list[Reference]) -> None:
        if len(set(references)) != len(references):
            raise ValueError(f"an object is a member of {self._property.name} once")
        self._owner._set(self._property, references)

    def _check_order(self) -> None:
        if not self._property.is_ordered:
            raise TypeError(f"the members of {self._property.name} have no order")

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, (Sequence, set)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return repr(list(self))


def _checked(member: Any) -> ModelObject:
    if not isinstance(member, ModelObject):
        raise TypeError(f"{member!r} is no object of a document")
    return member


class Results(Uncopied, Sequence[T], Generic[T]):
    """A list of objects, which are made when they are looked at."""

    def __init__(self, handle: Optional[int], document: Document, is_borrowed: bool = False) -> None:
        self._handle = handle
        self._document = document
        self._is_borrowed = is_borrowed

    def __del__(self) -> None:
        if library is not None and not getattr(self, "_is_borrowed", True):
            library.folio_results_free(self._handle)

    def __len__(self) -> int:
        count: int = library.folio_results_count(self._handle)
        if count == 0:
            # Results that can't be used any more have no objects, either.
            call(library.folio_results_references, self._handle, 0, 0, None)
        return count

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> list[T]: ...

    def __getitem__(self, index: Union[int, slice]) -> Union[T, list[T]]:
        if isinstance(index, slice):
            return [self[number] for number in range(*index.indices(len(self)))]
        count = len(self)
        if not -count <= index < count:
            raise IndexError(index)
        return ModelObject._of(self._open(index % count), self._document)  # type: ignore[return-value]

    def _open(self, index: int) -> int:
        with self._document._lock:
            handle: int = call(library.folio_results_object, self._handle, index)
        return handle

    def __iter__(self) -> Iterator[T]:
        count, document = len(self), self._document
        for first in range(0, count, _BATCH):
            size = min(_BATCH, count - first)
            if self._is_borrowed:
                for index in range(first, first + size):
                    yield ModelObject._of(self._open(index), document)  # type: ignore[misc]
                continue
            batch = _Batch(self, first, size)
            for position, reference in enumerate(self._references(first, size)):
                if reference.entity < 0:
                    yield ModelObject._of(self._open(first + position), document)  # type: ignore[misc]
                    continue
                kind = document._class(reference.entity)
                made = kind.__new__(kind)
                made._document = document
                made._values = batch
                made._position = position
                made._opened = None
                made._known = reference if reference.key > 0 else None
                yield made  # type: ignore[misc]

    @property
    def references(self) -> list[Reference]:
        """The names of all objects."""
        return self._references(0, len(self))

    def _references(self, first: int, count: int) -> list[Reference]:
        items = (c.Reference * count)()
        with self._document._lock:
            call(library.folio_results_references, self._handle, first, count, items)
        return list(map(Reference._make, values.reference_layout.iter_unpack(items)))

    def rows(self, *keys: str) -> Iterator[tuple[Any, ...]]:
        """The values of some keys of each object, as tuples, read many at a time. A key may be a path:
        ``"author.name"``. Relationships are references, large values their sizes (`Large`)."""
        if not keys:
            yield from (() for _ in range(len(self)))
            return
        for columns in self._batches(keys):
            yield from zip(*columns)

    def dicts(self, *keys: str) -> Iterator[dict[str, Any]]:
        """The rows as dictionaries."""
        for row in self.rows(*keys):
            yield dict(zip(keys, row))

    def columns(self, *keys: str) -> dict[str, list[Any]]:
        """The values by key, each a list: ``pandas.DataFrame(results.columns("title", "year"))``."""
        result: dict[str, list[Any]] = {key: [] for key in keys}
        for batch in self._batches(keys) if keys else ():
            for key, column in zip(keys, batch):
                result[key].extend(column)
        return result

    def _batches(self, keys: Sequence[str]) -> Iterator[list[list[Any]]]:
        count = len(self)
        for first in range(0, count, _BATCH):
            yield self._read(first, min(_BATCH, count - first), keys)

    def _read(self, first: int, count: int, keys: Sequence[str]) -> list[list[Any]]:
        """The values of some objects, by keys."""
        width = len(keys)
        names = (c_char_p * width)(*[encoded(key) for key in keys])
        buffer = bytearray(count * width * ctypes.sizeof(c.Value))
        place = (ctypes.c_char * len(buffer)).from_buffer(buffer)
        with self._document._lock:
            call(library.folio_results_read, self._handle, first, count, names, width, place)
            view = memoryview(buffer)
            return [_column(view, index, width) for index in range(width)]

    def __repr__(self) -> str:
        return f"<{len(self)} results>"


_TEXT = {values.STRING, values.URI}
# Makes text of bytes somewhere without a copy of these.
_text_at: Any = ctypes.pythonapi.PyUnicode_FromStringAndSize
_text_at.argtypes = [c_void_p, ctypes.c_ssize_t]
_text_at.restype = ctypes.py_object


def _column(view: memoryview, index: int, width: int) -> list[Any]:
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


class Stream(Uncopied, io.RawIOBase):
    """A large value that is read piece by piece. Threads may share it; each reads what follows."""

    def __init__(self, handle: int) -> None:
        self._handle: Optional[int] = handle
        self._offset = 0
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """The size of the value in bytes."""
        with self._lock:
            return int(library.folio_stream_size(self._open))

    @property
    def _open(self) -> int:
        if self._handle is None:
            raise ValueError("the stream is closed")
        return self._handle

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        if not len(view):
            return 0
        done = c_size_t()
        place = (ctypes.c_char * len(view)).from_buffer(view)
        with self._lock:
            call(library.folio_stream_read, self._open, place, len(view), byref(done))
            self._offset += done.value
        return done.value

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        size = self.size if whence == io.SEEK_END else 0
        with self._lock:
            base = {io.SEEK_SET: 0, io.SEEK_CUR: self._offset, io.SEEK_END: size}[whence]
            call(library.folio_stream_seek, self._open, c_int64(base + offset))
            self._offset = base + offset
            return self._offset

    def tell(self) -> int:
        return self._offset

    def close(self) -> None:
        lock = getattr(self, "_lock", None)
        if lock is not None:
            with lock:
                handle, self._handle = self._handle, None
                if handle is not None and library is not None:
                    library.folio_stream_free(handle)
        super().close()
