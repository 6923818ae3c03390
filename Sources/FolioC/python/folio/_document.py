"""Documents, their entities, versions and live results."""

import contextlib
import datetime
import json
import os
from ctypes import byref, c_bool, c_int, c_size_t, c_void_p
from typing import NamedTuple, Optional

from . import _library as c
from . import _values as values
from ._errors import UsageError, call, encoded, exception, owned_text, text
from ._library import library
from ._objects import Object, Results
from ._values import Reference

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


def _choice(choices, value, what):
    try:
        return choices[value]
    except (KeyError, TypeError):
        names = ", ".join(str(name) for name in choices)
        raise UsageError(f"{what} is one of {names}, not {value!r}", "usage", 64) from None


def _path(path):
    return None if path is None else encoded(os.fsencode(path))


def version():
    """The version of the library."""
    return text(library.folio_version())


def handle_count():
    """The number of handles of the library that are in use; for tests."""
    return library.folio_handle_count()


def open(path, mode="edit", recovery="refuse", model=None, migration=None, version=None):
    """Opens a document.

    ``mode`` is "edit" or "read". ``recovery`` says what to do with work that a former editor left unsaved: "refuse"
    raises `RecoverableError`, "keep" takes it up, "discard" gives it up. ``model`` is the file of a model: of a store
    that carries none or, with a ``migration``, the version that the program works with. ``migration`` is None,
    "refuse", "automatic", "reading-copy" (a migrated copy, for reading) or a function that is given the plan as a
    dictionary and says whether to migrate. ``version`` opens an earlier version, for reading.
    """
    options = c.OpenOptions(size=c.sizeof_options)
    options.mode = _choice({"edit": 0, "read": 1}, mode, "mode")
    options.recovery = _choice(_RECOVERY, recovery, "recovery")
    options.model = _path(model)
    options.is_version = version is not None
    options.version = version or 0
    failure = []
    if callable(migration):
        options.migration = 3

        def ask(_, plan):
            try:
                return bool(migration(json.loads(plan)))
            except BaseException as error:
                failure.append(error)
                return False

        options.ask = c.ASK(ask)
    else:
        options.migration = _choice(_MIGRATION, migration, "migration")
    try:
        return Document(call(library.folio_document_open, _path(path), byref(options)))
    except Exception:
        if failure:
            raise failure.pop()
        raise


def create(path, model, form=None, replace=False):
    """Creates a document without objects, with the model of a file or of another document, and opens it."""
    form = _choice(_FORMS, form, "form")
    return Document(call(library.folio_document_create, _path(path), _path(model), form, replace))


def diff(old, new):
    """The differences of two documents as `folio diff --json` prints them; None if there are none."""
    different, report = c_bool(), c_void_p()
    call(library.folio_diff, _path(old), _path(new), byref(different), byref(report))
    found = json.loads(owned_text(report))
    return found if different.value else None


def migrate(path, model):
    """Migrates a document that is not open to another version of its model."""
    call(library.folio_migrate, _path(path), _path(model))


class Progress:
    """Shows the progress of operations, and cancels them: saves, copies and migrations that the thread starts within a
    ``with`` block. Other threads look at it meanwhile.

        progress = folio.Progress()
        threading.Timer(10, progress.cancel).start()
        with progress:
            document.save()
    """

    def __init__(self):
        self._handle = library.folio_progress_create()

    def __del__(self):
        if library is not None and getattr(self, "_handle", None):
            library.folio_progress_free(self._handle)

    @property
    def fraction(self):
        """The part of the operation, or of its present stage, that is done: from 0 to 1."""
        return library.folio_progress_fraction(self._handle)

    def cancel(self):
        """Cancels the operation that is being executed and those that are started later: they raise `CancelledError`,
        and nothing is changed."""
        library.folio_progress_cancel(self._handle)

    def __enter__(self):
        call(library.folio_progress_use, self._handle)
        return self

    def __exit__(self, *_):
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
    saved: Optional[datetime.datetime]
    autosaved: Optional[datetime.datetime]


class Version(NamedTuple):
    """An earlier saved state."""

    generation: int
    saved: datetime.datetime
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


class Entity:
    """An entity of a document: ``document["Book"]``."""

    def __init__(self, document, index, info):
        self._document = document
        self.index = index
        self.name = text(info.name)
        self.is_abstract = info.is_abstract
        self._superentity = info.superentity
        self._count = info.property_count
        self._properties = None

    @property
    def superentity(self):
        return None if self._superentity < 0 else self._document._entities[self._superentity]

    @property
    def properties(self):
        """The attributes and relationships, inherited ones first."""
        return list(self._loaded.values())

    @property
    def _loaded(self):
        if self._properties is None:
            loaded = {}
            for index in range(self._count):
                info = c.PropertyInfo(size=c.sizeof_property)
                call(library.folio_document_get_property, self._document._handle, self.index, index, byref(info))
                destination = None
                if info.destination >= 0:
                    destination = self._document._entities[info.destination].name
                name = text(info.name)
                loaded[name] = Property(
                    name, text(info.type_name) or "Relationship", info.is_optional, info.is_transient,
                    info.type == values.REFERENCES, info.is_ordered, info.type in (values.BYTES, values.LARGE),
                    destination, text(info.inverse))
            self._properties = loaded
        return self._properties

    def insert(self, **items):
        """Inserts a new object, with values for some properties. If one can't be set, nothing is inserted."""
        document = self._document
        inserted = Object(call(library.folio_document_insert, document._handle, encoded(self.name)), document)
        try:
            inserted.update(**items)
        except Exception:
            inserted.delete()
            raise
        return inserted

    def fetch(self, predicate=None, *arguments, **options):
        """The objects that fit a predicate, as `Document.fetch`."""
        return self._document.fetch(self.name, predicate, *arguments, **options)

    def first(self, predicate=None, *arguments, **options):
        """The first object that fits a predicate; None if there is none."""
        found = self._document.fetch(self.name, predicate, *arguments, **{**options, "limit": 1})
        return found[0] if len(found) else None

    def count(self, predicate=None, *arguments):
        return self._document.count(self.name, predicate, *arguments)

    def __len__(self):
        return self.count()

    def __bool__(self):
        return True

    def __iter__(self):
        return iter(self.fetch())

    def __repr__(self):
        return f"<Entity {self.name}>"

    def property(self, name):
        """The property with a name; None if there is none."""
        return self._loaded.get(name)


class Document:
    """A document. At the end of a ``with`` block it is closed; unsaved work is kept for the next opening, which raises
    `RecoverableError` unless told what to do with it: call `save` before."""

    def __init__(self, handle):
        self._handle = handle
        self._handler = self._dispatcher = None
        self._completions = []
        self._failures = []
        self._entities = []
        for index in range(library.folio_document_entity_count(handle)):
            info = c.EntityInfo(size=c.sizeof_entity)
            call(library.folio_document_get_entity, handle, index, byref(info))
            self._entities.append(Entity(self, index, info))
        self._by_name = {entity.name: entity for entity in self._entities}

    def __del__(self):
        if library is not None and getattr(self, "_handle", None):
            library.folio_document_free(self._handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.is_open:
            self.close()

    # State

    @property
    def is_open(self):
        return library.folio_document_is_open(self._handle)

    @property
    def info(self):
        info = c.DocumentInfo(size=c.sizeof_info)
        call(library.folio_document_get_info, self._handle, byref(info))
        return Info(
            _KINDS[info.kind], "read" if info.mode else "edit", text(info.path), text(info.uuid),
            text(info.model_name), info.has_unsaved_changes, info.has_autosaved_work, info.has_recovered_work,
            info.has_conflict, info.generation, values.optional_date(info.saved),
            values.optional_date(info.autosaved))

    @property
    def path(self):
        return self.info.path

    @property
    def has_unsaved_changes(self):
        return self.info.has_unsaved_changes

    @property
    def entities(self):
        return list(self._entities)

    @property
    def model(self):
        """The whole model, as `folio model --format json` prints it."""
        return json.loads(owned_text(call(library.folio_document_model_json, self._handle)))

    def __getitem__(self, name):
        try:
            return self._by_name[name]
        except KeyError:
            raise KeyError(f"the document has no entity {name}") from None

    def __contains__(self, name):
        return name in self._by_name

    def __repr__(self):
        return f"<Document {self.path}>" if self.is_open else "<Document, closed>"

    # Saving

    def save(self):
        """Validates all changes and makes them the saved state."""
        call(library.folio_document_save, self._handle)

    def start_save(self, completion=None):
        """Starts a save and returns. `dispatch` calls ``completion`` with None or the exception."""

        def complete(_, error):
            self._completions.remove(function)
            self._guarded(completion, exception(error) if error else None)

        function = c.COMPLETION(complete)
        self._completions.append(function)
        try:
            call(library.folio_document_start_save, self._handle, function, None)
        except Exception:
            self._completions.remove(function)
            raise

    def save_as(self, path, form=None, replace=False):
        call(library.folio_document_save_as, self._handle, _path(path), _choice(_FORMS, form, "form"), replace)

    def write_copy(self, path, form=None, replace=False, include_versions=False):
        form = _choice(_FORMS, form, "form")
        call(library.folio_document_write_copy, self._handle, _path(path), form, replace, include_versions)

    def autosave(self):
        """Protects unsaved changes against crashes."""
        call(library.folio_document_autosave, self._handle)

    def revert(self):
        """Discards all changes since the last save."""
        call(library.folio_document_revert, self._handle)

    def close(self, unsaved=None):
        """Closes the document. ``unsaved`` says what to do with unsaved work: "save", "keep", "discard", or None for
        what the policy says, which is "keep" without one."""
        call(library.folio_document_close, self._handle, _choice(_CLOSE, unsaved, "unsaved"))

    def set_policy(self, idle=2.0, minimum_interval=5.0, maximum_delay=30.0, saves_when_idle=False, on_close="keep"):
        """Starts autosaves; ``idle`` is None for none. Times are in seconds."""
        policy = c.Policy(c.sizeof_policy, -1 if idle is None else idle, minimum_interval, maximum_delay,
                          saves_when_idle, _choice(_CLOSE, on_close, "on_close"))
        call(library.folio_document_set_policy, self._handle, byref(policy))

    def stop_policy(self):
        call(library.folio_document_stop_policy, self._handle)

    # Versions

    @property
    def versions(self):
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

    def restore(self, version):
        """Makes an earlier version, or the one of a generation, the saved state."""
        call(library.folio_document_restore_version, self._handle, _generation(version))

    def name_version(self, version, name):
        call(library.folio_document_name_version, self._handle, _generation(version), encoded(name))

    def pin_version(self, version, is_pinned=True):
        call(library.folio_document_pin_version, self._handle, _generation(version), is_pinned)

    def remove_version(self, version):
        call(library.folio_document_remove_version, self._handle, _generation(version))

    def export_version(self, version, path, form=None, replace=False):
        form = _choice(_FORMS, form, "form")
        call(library.folio_document_export_version, self._handle, _generation(version), _path(path), form, replace)

    # Objects

    def object(self, name):
        """The object with a `Reference`, a URI, or a short name such as "Book/p1"."""
        if isinstance(name, Reference):
            return Object(call(library.folio_document_object, self._handle, c.Reference(*name)), self)
        return Object(call(library.folio_document_object_with_uri, self._handle, encoded(name)), self)

    def fetch(self, entity, predicate=None, *arguments, sort=(), limit=0, offset=0, subentities=True):
        """The objects that fit a predicate, unsaved changes included.

        ``predicate`` is text, with %@ for each of the arguments. ``sort`` is a list of keys, "-year" for descending.
        """
        keep = []
        query = _query(keep, entity, predicate, arguments, sort, limit, offset, subentities)
        return Results(call(library.folio_document_fetch, self._handle, byref(query)), self)

    def count(self, entity, predicate=None, *arguments):
        keep, number = [], c_size_t()
        query = _query(keep, entity, predicate, arguments, (), 0, 0, True)
        call(library.folio_document_count, self._handle, byref(query), byref(number))
        return number.value

    def check_predicate(self, entity, predicate):
        """Raises `UsageError` if the text of a predicate is wrong; ``detail`` has the offset of the mistake."""
        call(library.folio_document_check_predicate, self._handle, encoded(entity), encoded(predicate), None)

    def validate(self):
        """Raises `ValidationError` if changed objects violate rules of the model."""
        call(library.folio_document_validate, self._handle)

    def watch(self, entity, handler, predicate=None, *arguments, sort=("objectID",), limit=0, offset=0):
        """Live results: `dispatch` calls ``handler(changes, results)`` with each change. ``changes`` are tuples of
        "delete", "insert", "move" or "update", the old index, the new index and the `Reference`."""
        return Live(self, handler, entity, predicate, arguments, sort, limit, offset)

    # Undo

    def undo(self):
        call(library.folio_document_undo, self._handle)

    def redo(self):
        call(library.folio_document_redo, self._handle)

    @property
    def can_undo(self):
        return self._undo_state.can_undo

    @property
    def can_redo(self):
        return self._undo_state.can_redo

    @property
    def _undo_state(self):
        state = c.UndoState(size=c.sizeof_undo)
        call(library.folio_document_get_undo, self._handle, byref(state))
        return state

    @property
    def undo_name(self):
        return owned_text(call(library.folio_document_undo_name, self._handle))

    @property
    def redo_name(self):
        return owned_text(call(library.folio_document_redo_name, self._handle))

    @contextlib.contextmanager
    def undo_group(self, name=None):
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

    def end_event(self):
        """Ends an event: changes since the last one become one group, live results are updated."""
        call(library.folio_document_end_event, self._handle)

    def clear_undo(self):
        call(library.folio_document_clear_undo, self._handle)

    @contextlib.contextmanager
    def without_undo(self):
        """Changes in the block are not recorded for undo."""
        call(library.folio_document_set_undo, self._handle, False)
        try:
            yield self
        finally:
            call(library.folio_document_set_undo, self._handle, True)

    # Events

    def set_handler(self, handler):
        """`dispatch` calls ``handler(event, error)`` with "changed", "reloaded", "conflict", "moved", "deleted",
        "unreadable" or "autosave-failed"; ``error`` is None or an exception."""

        def tell(_, document, event, error):
            self._guarded(handler, _EVENTS.get(event, event), exception(error) if error else None)

        function = c.HANDLER(tell) if handler else c.HANDLER()
        call(library.folio_document_set_handler, self._handle, function, None)
        self._handler = function

    def set_dispatcher(self, dispatcher):
        """``dispatcher`` is called on any thread when there is something to dispatch. It makes this thread call
        `dispatch`, as ``loop.call_soon_threadsafe(document.dispatch)`` does."""
        function = c.DISPATCHER(lambda _: dispatcher()) if dispatcher else c.DISPATCHER()
        call(library.folio_document_set_dispatcher, self._handle, function, None)
        self._dispatcher = function

    def dispatch(self):
        """Ends an event and calls the handlers that are due. Raises what a handler raises."""
        call(library.folio_document_dispatch, self._handle)
        if self._failures:
            failure, self._failures = self._failures[0], []
            raise failure

    def _guarded(self, function, *arguments):
        """Calls a function of the user's, from C, which knows no exceptions."""
        try:
            if function is not None:
                function(*arguments)
        except BaseException as error:
            self._failures.append(error)

    # Other programs

    def check_outside(self):
        """Handles what another program did to the document; returns the event or None."""
        event = c_int()
        call(library.folio_document_check_outside, self._handle, byref(event))
        return _EVENTS.get(event.value)

    def resolve_conflict(self, resolution, path=None):
        """Resolves a conflict: "copy", "theirs", "merge" (fails if both changed the same), "merge-mine" or
        "merge-theirs". Returns what was kept and what contradicted each other."""
        report = c_void_p()
        resolution = _choice(_RESOLUTION, resolution, "resolution")
        call(library.folio_document_resolve_conflict, self._handle, resolution, _path(path), byref(report))
        return json.loads(owned_text(report))

    # Import and export

    def import_file(self, path, entity=None, match=None, create_missing=False, as_new=False):
        """Imports a file, as changes that are undone together. Rows whose id is the URI of an object of the document
        update it, unless `as_new`. Returns the numbers of inserted, updated and unchanged objects."""
        options = c.ImportOptions(c.sizeof_import, encoded(entity), encoded(match), create_missing, as_new)
        report = c.ImportReport(size=c.sizeof_report)
        call(library.folio_document_import, self._handle, _path(path), byref(options), byref(report))
        return report.inserted, report.updated, report.unchanged

    def export(self, path, format="json", entity=None):
        """Writes all objects, or those of an entity, to a file: "json", "jsonl" or "csv"."""
        call(library.folio_document_export, self._handle, _path(path), _choice(_FORMATS, format, "format"),
             encoded(entity))


def _generation(version):
    return version.generation if isinstance(version, Version) else int(version)


def _query(keep, entity, predicate, arguments, sort, limit, offset, subentities):
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


class Live:
    """Results that follow the changes of a document, until `close` or the end of a ``with`` block."""

    def __init__(self, document, handler, entity, predicate, arguments, sort, limit, offset):
        self._document = document

        def tell(_, live, changes, count, results):
            found = [
                (_CHANGES[change.kind], change.origin, change.to, Reference(change.reference.key, change.reference.entity))
                for change in changes[:count]
            ]
            document._guarded(handler, found, Results(results, document, is_borrowed=True))

        self._function = c.LIVE_HANDLER(tell)
        keep = []
        query = _query(keep, entity, predicate, arguments, sort, limit, offset, True)
        self._handle = call(library.folio_document_watch, document._handle, byref(query), self._function, None)

    @property
    def results(self):
        return Results(call(library.folio_live_results, self._handle), self._document)

    def close(self):
        handle, self._handle = self._handle, None
        if handle and library is not None:
            library.folio_live_free(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __del__(self):
        self._handle = getattr(self, "_handle", None)
        self.close()
