"""Documents, their entities, versions and live results."""

from __future__ import annotations

import atexit
import builtins
import contextlib
import datetime
import json
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from ctypes import byref, c_bool, c_int, c_size_t, c_uint64, c_void_p
from types import TracebackType
from typing import Any, Generic, Literal, NamedTuple, Optional, TypeVar, Union

from . import _library as c
from . import _values as values
from ._errors import Error, UsageError, call, encoded, exception, owned_text, text
from ._library import library
from ._objects import ModelObject, Object, Results, T, Uncopied, object_class
from ._values import Reference

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Form = Literal["package", "archive", "sqlite", "binary", "xml"]
Unsaved = Literal["save", "keep", "discard"]
Format = Literal["json", "jsonl", "csv"]
Resolution = Literal["copy", "theirs", "merge", "merge-mine", "merge-theirs"]
Migration = Union[Literal["refuse", "automatic", "reading-copy"], Callable[[dict[str, Any]], bool]]
Handler = Callable[[str, Optional[Error]], object]
LiveHandler = Callable[["list[tuple[str, int, int, Reference]]", "Results[Any]"], object]

D = TypeVar("D", bound="Document")

_FORMS = {None: 0, "package": 1, "archive": 2, "sqlite": 3, "binary": 4, "xml": 5}
_KINDS = {1: "package", 2: "archive", 3: "store", 4: "managedDocument"}
_CLOSE = {None: 0, "save": 1, "keep": 2, "discard": 3}
_RECOVERY = {"refuse": 0, "keep": 1, "discard": 2}
_MIGRATION = {None: 0, "refuse": 1, "automatic": 2, "reading-copy": 4}
_RESOLUTION = {"copy": 1, "theirs": 2, "merge": 3, "merge-mine": 4, "merge-theirs": 5}
_FORMATS = {"json": 0, "jsonl": 1, "csv": 2}
_EVENTS = {
    1: "changed", 2: "reloaded", 3: "conflict", 4: "moved", 5: "deleted", 6: "unreadable", 7: "autosave-failed",
}
_CHANGES = {1: "delete", 2: "insert", 3: "move", 4: "update"}


def _choice(choices: dict[Any, int], value: Any, what: str) -> int:
    try:
        return choices[value]
    except (KeyError, TypeError):
        names = ", ".join(str(name) for name in choices)
        raise UsageError(f"{what} is one of {names}, not {value!r}", "usage", 64) from None


def _path(path: Optional[Path]) -> Optional[bytes]:
    return None if path is None else encoded(os.fsencode(path))


def version() -> str:
    """The version of the library."""
    return str(text(library.folio_version()))


def handle_count() -> int:
    """The number of handles of the library that are in use; for tests."""
    return int(library.folio_handle_count())


def open(
    path: Path,
    mode: Literal["edit", "read"] = "edit",
    recovery: Literal["refuse", "keep", "discard"] = "refuse",
    model: Optional[Path] = None,
    migration: Optional[Migration] = None,
    version: Optional[int] = None,
) -> Document:
    """Opens a document.

    ``mode`` is "edit" or "read". A reader shows the newest state that was written, work that an editor has only autosaved
    included; ``info.has_autosaved_work`` tells. ``recovery`` says what to do with work that a former editor left unsaved: "refuse"
    raises `RecoverableError`, "keep" takes it up, "discard" gives it up. ``model`` is the file of a model: of a store
    that carries none or, with a ``migration``, the version that the program works with. ``migration`` is None,
    "refuse", "automatic", "reading-copy" (a migrated copy, for reading) or a function that is given the plan as a
    dictionary and says whether to migrate. ``version`` opens an earlier version, for reading.
    """
    return Document.open(path, mode, recovery, model, migration, version)


def create(path: Path, model: Path, form: Optional[Form] = None, replace: bool = False) -> Document:
    """Creates a document without objects, with the model of a file or of another document, and opens it."""
    return Document.create(path, model, form, replace)


def diff(old: Path, new: Path) -> Any:
    """The differences of two documents as `folio diff --json` prints them; None if there are none."""
    different, report = c_bool(), c_void_p()
    call(library.folio_diff, _path(old), _path(new), byref(different), byref(report))
    found = json.loads(owned_text(report))
    return found if different.value else None


def migrate(path: Path, model: Path) -> None:
    """Migrates a document that is not open to another version of its model."""
    call(library.folio_migrate, _path(path), _path(model))


class Progress(Uncopied):
    """Shows the progress of operations, and cancels them: saves, copies and migrations that the thread starts within a
    ``with`` block. Other threads look at it meanwhile.

        progress = folio.Progress()
        threading.Timer(10, progress.cancel).start()
        with progress:
            document.save()
    """

    def __init__(self) -> None:
        self._handle = library.folio_progress_create()

    def __del__(self) -> None:
        if library is not None and getattr(self, "_handle", None):
            library.folio_progress_free(self._handle)

    @property
    def fraction(self) -> float:
        """The part of the operation, or of its present stage, that is done: from 0 to 1."""
        return float(library.folio_progress_fraction(self._handle))

    def cancel(self) -> None:
        """Cancels the operation that is being executed and those that are started later: they raise `CancelledError`,
        and nothing is changed."""
        library.folio_progress_cancel(self._handle)

    def __enter__(self) -> Progress:
        call(library.folio_progress_use, self._handle)
        return self

    def __exit__(self, *_: object) -> None:
        call(library.folio_progress_use, None)


class Info(NamedTuple):
    """What an application shows of a document."""

    kind: str
    mode: str
    path: str
    uuid: str
    model_name: Optional[str]
    has_unsaved_changes: bool
    has_autosaved_work: bool
    has_recovered_work: bool
    has_conflict: bool
    generation: int
    saved: Union[datetime.datetime, float, None]
    autosaved: Union[datetime.datetime, float, None]
    missing_parts: tuple[str, ...]
    """What the store lacks of its model, for people: its objects and values are not shown and can't be written."""


class Version(NamedTuple):
    """An earlier saved state."""

    generation: int
    saved: Union[datetime.datetime, float]
    bytes: int
    name: Optional[str]
    is_pinned: bool


class Property(NamedTuple):
    """A property of an entity. ``destination`` is the name of a relationship's entity, None for an attribute."""

    name: str
    type: str
    is_optional: bool
    is_transient: bool
    is_to_many: bool
    is_ordered: bool
    is_binary: bool
    destination: Optional[str]
    inverse: Optional[str]


class _EntityInfo:
    """What the model says of an entity. It holds no document, which is freed with its last reference."""

    def __init__(self, handle: Any, index: int) -> None:
        info = c.EntityInfo(size=c.sizeof_entity)
        call(library.folio_document_get_entity, handle, index, byref(info))
        self.index = index
        self.name: str = text(info.name)
        self.is_abstract = bool(info.is_abstract)
        self.superentity: int = info.superentity
        self.count: int = info.property_count
        self.properties: Optional[dict[str, Property]] = None
        self.kind: Optional[type[ModelObject]] = None


class Entity(Generic[T]):
    """An entity of a document: ``document["Book"]``."""

    def __init__(self, document: Document, info: _EntityInfo) -> None:
        self._document = document
        self._info = info

    @property
    def name(self) -> str:
        """The name of the entity."""
        return self._info.name

    @property
    def index(self) -> int:
        """The index of the entity in the model, which a `Reference` has."""
        return self._info.index

    @property
    def is_abstract(self) -> bool:
        """Whether only its sub-entities have objects."""
        return self._info.is_abstract

    @property
    def superentity(self) -> Optional[Entity[Any]]:
        """The entity that this one inherits from."""
        return None if self._info.superentity < 0 else self._document._entity(self._info.superentity)

    @property
    def properties(self) -> list[Property]:
        """The attributes and relationships, inherited ones first."""
        return list(self._document._properties(self._info).values())

    def insert(self, **items: Any) -> T:
        """Inserts a new object, with values for some properties. If one can't be set, nothing is changed."""
        document = self._document
        call(library.folio_document_begin_undo_group, document._handle, None)
        inserted = None
        try:
            made = call(library.folio_document_insert, document._handle, encoded(self.name))
            inserted = ModelObject._of(made, document)
            inserted.update(**items)
        except BaseException:
            call(library.folio_document_cancel_undo_group, document._handle)
            # What was not recorded was not taken back.
            with contextlib.suppress(Error):
                if inserted is not None and inserted.is_inserted:
                    inserted.delete()
            raise
        call(library.folio_document_end_undo_group, document._handle)
        return inserted  # type: ignore[return-value]

    def fetch(
        self, predicate: Optional[str] = None, *arguments: Any, sort: Union[str, Iterable[str]] = (), limit: int = 0,
        offset: int = 0, subentities: bool = True,
    ) -> Results[T]:
        """The objects that fit a predicate, as `Document.fetch`."""
        return self._document.fetch(
            self.name, predicate, *arguments, sort=sort, limit=limit, offset=offset, subentities=subentities)

    def first(
        self, predicate: Optional[str] = None, *arguments: Any, sort: Union[str, Iterable[str]] = (), offset: int = 0,
        subentities: bool = True,
    ) -> Optional[T]:
        """The first object that fits a predicate; None if there is none."""
        found = self.fetch(predicate, *arguments, sort=sort, limit=1, offset=offset, subentities=subentities)
        return found[0] if len(found) else None

    def count(self, predicate: Optional[str] = None, *arguments: Any) -> int:
        """The number of objects that fit a predicate."""
        return self._document.count(self.name, predicate, *arguments)

    def __len__(self) -> int:
        return self.count()

    def __bool__(self) -> bool:
        return True

    def __iter__(self) -> Iterator[T]:
        return iter(self.fetch())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Entity):
            return NotImplemented
        return self._document is other._document and self._info is other._info

    def __hash__(self) -> int:
        return hash((id(self._document), self._info.index))

    def __repr__(self) -> str:
        return f"<Entity {self.name}>"

    def property(self, name: str) -> Optional[Property]:
        """The property with a name; None if there is none."""
        return self._document._properties(self._info).get(name)


class Document(Uncopied):
    """A document. At the end of a ``with`` block it is closed; unsaved work is kept for the next opening, which raises
    `RecoverableError` unless told what to do with it: call `save` before."""

    # The classes of objects by the names of their entities, which `folio.stubs` makes of a model.
    _classes: dict[str, type[Object]] = {}

    def __init__(self, handle: int) -> None:
        self._handle = handle
        # Held while values are read through a handle, before the document's own lock.
        self._lock = threading.RLock()
        self._count = c_uint64.from_address(library.folio_document_change_count(handle))
        self._handler: Any = None
        self._dispatcher: Any = None
        self._completions: list[Any] = []
        self._failures: list[BaseException] = []
        self._entities = [
            _EntityInfo(handle, index) for index in range(library.folio_document_entity_count(handle))]
        self._by_name = {entity.name: entity for entity in self._entities}

    @classmethod
    def open(
        cls: type[D],
        path: Path,
        mode: Literal["edit", "read"] = "edit",
        recovery: Literal["refuse", "keep", "discard"] = "refuse",
        model: Optional[Path] = None,
        migration: Optional[Migration] = None,
        version: Optional[int] = None,
    ) -> D:
        """Opens a document, as the function `open` of the package."""
        options = c.OpenOptions(size=c.sizeof_options)
        options.mode = _choice({"edit": 0, "read": 1}, mode, "mode")
        options.recovery = _choice(_RECOVERY, recovery, "recovery")
        options.model = _path(model)
        options.is_version = version is not None
        options.version = version or 0
        failure: list[BaseException] = []
        if callable(migration):
            options.migration = 3

            def ask(_: Any, plan: bytes) -> bool:
                try:
                    return bool(migration(json.loads(plan)))
                except BaseException as error:
                    failure.append(error)
                    return False

            options.ask = c.ASK(ask)
        else:
            options.migration = _choice(_MIGRATION, migration, "migration")
        try:
            return cls(call(library.folio_document_open, _path(path), byref(options)))
        except Exception:
            if failure:
                raise failure.pop() from None
            raise

    @classmethod
    def create(cls: type[D], path: Path, model: Path, form: Optional[Form] = None, replace: bool = False) -> D:
        """Creates a document and opens it, as the function `create` of the package."""
        number = _choice(_FORMS, form, "form")
        return cls(call(library.folio_document_create, _path(path), _path(model), number, replace))

    def __del__(self) -> None:
        if library is not None and getattr(self, "_handle", None):
            library.folio_document_free(self._handle)

    def __enter__(self: D) -> D:
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType],
    ) -> None:
        if self.is_open:
            self.close()

    # State

    @property
    def is_open(self) -> bool:
        """Whether the document was not closed."""
        return bool(library.folio_document_is_open(self._handle))

    @property
    def info(self) -> Info:
        """What an application shows of the document."""
        info = c.DocumentInfo(size=c.sizeof_info)
        call(library.folio_document_get_info, self._handle, byref(info))
        return Info(
            _KINDS[info.kind], "read" if info.mode else "edit", text(info.path), text(info.uuid),
            text(info.model_name), info.has_unsaved_changes, info.has_autosaved_work, info.has_recovered_work,
            info.has_conflict, info.generation, values.optional_date(info.saved),
            values.optional_date(info.autosaved), tuple(json.loads(info.missing_parts)))

    @property
    def path(self) -> str:
        """The place of the document."""
        return self.info.path

    @property
    def has_unsaved_changes(self) -> bool:
        """Whether the document was changed since its last save."""
        return self.info.has_unsaved_changes

    @property
    def entities(self) -> list[Entity[Any]]:
        """The entities of the model."""
        return [Entity(self, info) for info in self._entities]

    @property
    def model(self) -> Any:
        """The whole model, as `folio model --format json` prints it."""
        return json.loads(owned_text(call(library.folio_document_model_json, self._handle)))

    def __getitem__(self, name: str) -> Entity[Any]:
        try:
            return Entity(self, self._by_name[name])
        except KeyError:
            raise KeyError(f"the document has no entity {name}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[Entity[Any]]:
        return iter(self.entities)

    def _entity(self, index: int) -> Entity[Any]:
        return Entity(self, self._entities[index])

    def _properties(self, entity: _EntityInfo) -> dict[str, Property]:
        if entity.properties is None:
            self._load(entity)
        assert entity.properties is not None
        return entity.properties

    def _class(self, index: int) -> type[ModelObject]:
        """The class of the objects of an entity."""
        kind = self._entities[index].kind
        if kind is None:
            kind = self._load(self._entities[index])
        return kind

    def _load(self, entity: _EntityInfo) -> type[ModelObject]:
        loaded: list[tuple[Property, int]] = []
        for index in range(entity.count):
            info = c.PropertyInfo(size=c.sizeof_property)
            call(library.folio_document_get_property, self._handle, entity.index, index, byref(info))
            destination = self._entities[info.destination].name if info.destination >= 0 else None
            loaded.append((
                Property(
                    text(info.name), text(info.type_name) or "Relationship", info.is_optional, info.is_transient,
                    info.type == values.REFERENCES, info.is_ordered, info.type in (values.BYTES, values.LARGE),
                    destination, text(info.inverse)),
                info.type))
        with self._lock:
            if entity.kind is None:
                entity.properties = {property.name: property for property, _ in loaded}
                base = self._classes.get(entity.name, Object)
                entity.kind = object_class(entity.name, entity.index, loaded, base)
            return entity.kind

    def __repr__(self) -> str:
        return f"<Document {self.path}>" if self.is_open else "<Document, closed>"

    # Saving

    def save(self) -> None:
        """Validates all changes and makes them the saved state."""
        call(library.folio_document_save, self._handle)

    def start_save(self, completion: Optional[Callable[[Optional[Error]], Any]] = None) -> None:
        """Starts a save and returns. `dispatch` calls ``completion`` with None or the exception."""

        def complete(_: Any, error: Any) -> None:
            self._completions.remove(function)
            self._guarded(completion, exception(error) if error else None)

        function = c.COMPLETION(complete)
        self._completions.append(function)
        try:
            call(library.folio_document_start_save, self._handle, function, None)
        except Exception:
            self._completions.remove(function)
            raise

    def save_as(self, path: Path, form: Optional[Form] = None, replace: bool = False) -> None:
        """Saves the document in another place, where it continues. The old one stays in its last saved state."""
        call(library.folio_document_save_as, self._handle, _path(path), _choice(_FORMS, form, "form"), replace)

    def write_copy(
        self, path: Path, form: Optional[Form] = None, replace: bool = False, include_versions: bool = False,
    ) -> None:
        """Writes a copy with the unsaved changes, a document of its own."""
        number = _choice(_FORMS, form, "form")
        call(library.folio_document_write_copy, self._handle, _path(path), number, replace, include_versions)

    def autosave(self) -> None:
        """Protects unsaved changes against crashes."""
        call(library.folio_document_autosave, self._handle)

    def revert(self) -> None:
        """Discards all changes since the last save."""
        call(library.folio_document_revert, self._handle)

    def close(self, unsaved: Optional[Unsaved] = None) -> None:
        """Closes the document. ``unsaved`` says what to do with unsaved work: "save", "keep", "discard", or None for
        what the policy says, which is "keep" without one."""
        call(library.folio_document_close, self._handle, _choice(_CLOSE, unsaved, "unsaved"))

    def set_policy(
        self, idle: Optional[float] = 2.0, minimum_interval: float = 5.0, maximum_delay: float = 30.0,
        saves_when_idle: bool = False, on_close: Unsaved = "keep",
    ) -> None:
        """Starts autosaves; ``idle`` is None for none. Times are in seconds."""
        policy = c.Policy(c.sizeof_policy, -1 if idle is None else idle, minimum_interval, maximum_delay,
                          saves_when_idle, _choice(_CLOSE, on_close, "on_close"))
        call(library.folio_document_set_policy, self._handle, byref(policy))

    def stop_policy(self) -> None:
        """Stops autosaves and the observation of other programs."""
        call(library.folio_document_stop_policy, self._handle)

    # Versions

    @property
    def versions(self) -> list[Version]:
        """The earlier saved states, the oldest first."""
        handle = call(library.folio_document_versions, self._handle)
        try:
            found = []
            for index in range(library.folio_versions_count(handle)):
                info = c.VersionInfo(size=c.sizeof_version)
                call(library.folio_versions_get, handle, index, byref(info))
                found.append(
                    Version(info.generation, values.date(info.saved), info.bytes, text(info.name), info.is_pinned))
            return found
        finally:
            library.folio_versions_free(handle)

    def restore(self, version: Union[int, Version]) -> None:
        """Makes an earlier version, or the one of a generation, the saved state."""
        call(library.folio_document_restore_version, self._handle, _generation(version))

    def name_version(self, version: Union[int, Version], name: Optional[str]) -> None:
        """Names a version; None removes the name."""
        call(library.folio_document_name_version, self._handle, _generation(version), encoded(name))

    def pin_version(self, version: Union[int, Version], is_pinned: bool = True) -> None:
        """Keeps a version from being thinned out, or no longer."""
        call(library.folio_document_pin_version, self._handle, _generation(version), is_pinned)

    def remove_version(self, version: Union[int, Version]) -> None:
        """Removes a version."""
        call(library.folio_document_remove_version, self._handle, _generation(version))

    def export_version(
        self, version: Union[int, Version], path: Path, form: Optional[Form] = None, replace: bool = False,
    ) -> None:
        """Writes a version as a document of its own."""
        number = _choice(_FORMS, form, "form")
        call(library.folio_document_export_version, self._handle, _generation(version), _path(path), number, replace)

    # Objects

    def object(self, name: Union[Reference, str]) -> Any:
        """The object with a `Reference`, a URI, or a short name such as "Book/p1"."""
        if isinstance(name, Reference):
            return ModelObject._of(call(library.folio_document_object, self._handle, c.Reference(*name)), self)
        return ModelObject._of(call(library.folio_document_object_with_uri, self._handle, encoded(name)), self)

    def fetch(
        self, entity: str, predicate: Optional[str] = None, *arguments: Any, sort: Union[str, Iterable[str]] = (),
        limit: int = 0, offset: int = 0, subentities: bool = True,
    ) -> Results[Any]:
        """The objects that fit a predicate, unsaved changes included.

        ``predicate`` is text, with %@ for each of the arguments. ``sort`` is a list of keys, "-year" for descending.
        """
        keep: list[Any] = []
        query = _query(keep, entity, predicate, arguments, sort, limit, offset, subentities)
        return Results(call(library.folio_document_fetch, self._handle, byref(query)), self)

    def count(self, entity: str, predicate: Optional[str] = None, *arguments: Any) -> int:
        """The number of objects that fit a predicate, unsaved changes included."""
        keep: list[Any] = []
        number = c_size_t()
        query = _query(keep, entity, predicate, arguments, (), 0, 0, True)
        call(library.folio_document_count, self._handle, byref(query), byref(number))
        return number.value

    def check_predicate(self, entity: str, predicate: str) -> None:
        """Raises `UsageError` if the text of a predicate is wrong; ``detail`` has the offset of the mistake."""
        call(library.folio_document_check_predicate, self._handle, encoded(entity), encoded(predicate), None)

    def validate(self) -> None:
        """Raises `ValidationError` if changed objects violate rules of the model."""
        call(library.folio_document_validate, self._handle)

    def watch(
        self, entity: str, handler: LiveHandler, predicate: Optional[str] = None, *arguments: Any,
        sort: Union[str, Iterable[str]] = ("objectID",), limit: int = 0, offset: int = 0,
    ) -> Live:
        """Live results: `dispatch` calls ``handler(changes, results)`` with each change. ``changes`` are tuples of
        "delete", "insert", "move" or "update", the old index, the new index and the `Reference`."""
        return Live(self, handler, entity, predicate, arguments, sort, limit, offset)

    # Undo

    def undo(self) -> None:
        """Undoes the last group. Saves can be undone, too."""
        call(library.folio_document_undo, self._handle)

    def redo(self) -> None:
        """Does again what was undone last."""
        call(library.folio_document_redo, self._handle)

    @property
    def can_undo(self) -> bool:
        """Whether there is something to undo."""
        return bool(self._undo_state.can_undo)

    @property
    def can_redo(self) -> bool:
        """Whether there is something to redo."""
        return bool(self._undo_state.can_redo)

    @property
    def _undo_state(self) -> Any:
        state = c.UndoState(size=c.sizeof_undo)
        call(library.folio_document_get_undo, self._handle, byref(state))
        return state

    @property
    def undo_name(self) -> str:
        """The name of the group that would be undone; empty for none."""
        return owned_text(call(library.folio_document_undo_name, self._handle))

    @property
    def redo_name(self) -> str:
        """The name of the group that would be redone; empty for none."""
        return owned_text(call(library.folio_document_redo_name, self._handle))

    @contextlib.contextmanager
    def undo_group(self: D, name: Optional[str] = None) -> Iterator[D]:
        """Changes in the block are undone together, those of a block within another one with that. If the block raises
        an exception, its changes are taken back, unless they were not recorded (`without_undo`)."""
        call(library.folio_document_begin_undo_group, self._handle, encoded(name))
        try:
            yield self
        except BaseException:
            if self.is_open:
                call(library.folio_document_cancel_undo_group, self._handle)
            raise
        call(library.folio_document_end_undo_group, self._handle)

    def end_event(self) -> None:
        """Ends an event: changes since the last one become one group, live results are updated."""
        call(library.folio_document_end_event, self._handle)

    def clear_undo(self) -> None:
        """Discards what can be undone and redone."""
        call(library.folio_document_clear_undo, self._handle)

    @contextlib.contextmanager
    def without_undo(self: D) -> Iterator[D]:
        """Changes in the block are not recorded for undo."""
        call(library.folio_document_set_undo, self._handle, False)
        try:
            yield self
        finally:
            call(library.folio_document_set_undo, self._handle, True)

    # Events

    def set_handler(self, handler: Optional[Handler]) -> None:
        """`dispatch` calls ``handler(event, error)`` with "changed", "reloaded", "conflict", "moved", "deleted",
        "unreadable" or "autosave-failed"; ``error`` is None or an exception."""

        known = weakref.ref(self)

        def tell(_: Any, document: Any, event: int, error: Any) -> None:
            told = known()
            if told is not None:
                told._guarded(handler, _EVENTS.get(event, str(event)), exception(error) if error else None)

        function = c.HANDLER(tell) if handler else c.HANDLER()
        call(library.folio_document_set_handler, self._handle, function, None)
        self._handler = function

    def set_dispatcher(self, dispatcher: Optional[Callable[[], Any]]) -> None:
        """``dispatcher`` is called on any thread when there is something to dispatch. It makes this thread call
        `dispatch`, as ``loop.call_soon_threadsafe(document.dispatch)`` does."""

        def tell(_: Any) -> None:
            assert dispatcher is not None
            dispatcher()

        function = c.DISPATCHER(tell) if dispatcher else c.DISPATCHER()
        call(library.folio_document_set_dispatcher, self._handle, function, None)
        self._dispatcher = function
        if dispatcher:
            _dispatched.add(self)

    def dispatch(self) -> None:
        """Ends an event and calls the handlers that are due. Raises what a handler raises."""
        call(library.folio_document_dispatch, self._handle)
        if self._failures:
            failure, self._failures = self._failures[0], []
            raise failure

    def _guarded(self, function: Optional[Callable[..., Any]], *arguments: Any) -> None:
        """Calls a function of the user's, from C, which knows no exceptions."""
        try:
            if function is not None:
                function(*arguments)
        except BaseException as error:
            self._failures.append(error)

    # Other programs

    def check_outside(self) -> Optional[str]:
        """Handles what another program did to the document; returns the event or None."""
        event = c_int()
        call(library.folio_document_check_outside, self._handle, byref(event))
        return _EVENTS.get(event.value)

    def resolve_conflict(self, resolution: Resolution, path: Optional[Path] = None) -> Any:
        """Resolves a conflict: "copy", "theirs", "merge" (fails if both changed the same), "merge-mine" or
        "merge-theirs". Returns what was kept and what contradicted each other."""
        report = c_void_p()
        number = _choice(_RESOLUTION, resolution, "resolution")
        call(library.folio_document_resolve_conflict, self._handle, number, _path(path), byref(report))
        return json.loads(owned_text(report))

    # Import and export

    def import_file(
        self, path: Path, entity: Optional[str] = None, match: Optional[str] = None, create_missing: bool = False,
        as_new: bool = False,
    ) -> tuple[int, int, int]:
        """Imports a file, as changes that are undone together. Rows whose id is the URI of an object of the document
        update it, unless `as_new`. Returns the numbers of inserted, updated and unchanged objects."""
        options = c.ImportOptions(c.sizeof_import, encoded(entity), encoded(match), create_missing, as_new)
        report = c.ImportReport(size=c.sizeof_report)
        call(library.folio_document_import, self._handle, _path(path), byref(options), byref(report))
        return report.inserted, report.updated, report.unchanged

    def export(self, path: Path, format: Format = "json", entity: Optional[str] = None) -> None:
        """Writes all objects, or those of an entity, to a file: "json", "jsonl" or "csv"."""
        call(library.folio_document_export, self._handle, _path(path), _choice(_FORMATS, format, "format"),
             encoded(entity))


def _generation(version: Union[int, Version]) -> int:
    return version.generation if isinstance(version, Version) else int(version)


def _query(
    keep: list[Any], entity: str, predicate: Optional[str], arguments: Sequence[Any], sort: Union[str, Iterable[str]],
    limit: int, offset: int, subentities: bool,
) -> Any:
    query = c.Query(size=c.sizeof_query)
    query.entity, query.predicate = encoded(entity), encoded(predicate)
    if arguments:
        structures = (c.Value * len(arguments))(*[values.encode(argument, keep) for argument in arguments])
        keep.append(structures)
        query.arguments, query.argument_count = structures, len(arguments)
    if isinstance(sort, str):
        sort = [sort]
    query.sort = encoded(",".join(sort)) if sort else None
    if limit < 0 or offset < 0:
        raise UsageError("a limit and an offset are not negative", "usage", 64)
    query.limit, query.offset, query.excludes_subentities = limit, offset, not subentities
    return query


class Live(Uncopied):
    """Results that follow the changes of a document, until `close` or the end of a ``with`` block."""

    def __init__(
        self, document: Document, handler: LiveHandler, entity: str, predicate: Optional[str],
        arguments: Sequence[Any], sort: Union[str, Iterable[str]], limit: int, offset: int,
    ) -> None:
        self._document = document

        def tell(_: Any, live: Any, changes: Any, count: int, handle: int) -> None:
            found = [
                (_CHANGES[change.kind], change.origin, change.to, Reference(change.reference.key, change.reference.entity))
                for change in changes[:count]
            ]
            results: Results[Any] = Results(handle, document, is_borrowed=True)
            document._guarded(handler, found, results)
            # The handle belongs to the library, which frees it.
            results._handle = None

        self._function = c.LIVE_HANDLER(tell)
        keep: list[Any] = []
        query = _query(keep, entity, predicate, arguments, sort, limit, offset, True)
        self._handle: Optional[int] = call(
            library.folio_document_watch, document._handle, byref(query), self._function, None)

    @property
    def results(self) -> Results[Any]:
        """The present results."""
        with self._document._lock:
            return Results(call(library.folio_live_results, self._handle), self._document)

    def close(self) -> None:
        """Ends the observation."""
        with self._document._lock:
            handle, self._handle = self._handle, None
            if handle and library is not None:
                library.folio_live_free(handle)

    def __enter__(self) -> Live:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.close()


# Documents whose dispatchers threads of the library may call, which they must not do while the interpreter ends.
_dispatched: weakref.WeakSet[Document] = weakref.WeakSet()


@atexit.register
def _end() -> None:
    for document in list(_dispatched):
        with contextlib.suppress(Error):
            document.set_dispatcher(None)
