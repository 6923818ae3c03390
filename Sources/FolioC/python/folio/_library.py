"""The functions of the C library, as the header declares them."""

from __future__ import annotations

import contextlib
import ctypes
import ctypes.util
import importlib
import os
import subprocess
from collections.abc import Iterator
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    Union,
    c_bool,
    c_char_p,
    c_double,
    c_int,
    c_int32,
    c_int64,
    c_size_t,
    c_uint8,
    c_void_p,
)
from typing import Any


class Reference(Structure):
    _fields_ = [("key", c_int64), ("entity", c_int32)]


class _Text(Structure):
    _fields_ = [("data", c_void_p), ("size", c_size_t)]


class _Content(Union):
    _fields_ = [
        ("integer", c_int64), ("boolean", c_bool), ("number", c_double), ("text", _Text), ("uuid", c_uint8 * 16),
        ("reference", Reference),
    ]


class Value(Structure):
    _fields_ = [("type", c_int32), ("as_", _Content)]


class Member(Structure):
    _fields_ = [("name", c_char_p), ("value", Value)]


ASK = CFUNCTYPE(c_bool, c_void_p, c_char_p)


class OpenOptions(Structure):
    _fields_ = [
        ("size", c_size_t), ("mode", c_int), ("recovery", c_int), ("migration", c_int), ("model", c_char_p),
        ("ask", ASK), ("context", c_void_p), ("is_version", c_bool), ("version", c_int64),
    ]


class DocumentInfo(Structure):
    _fields_ = [
        ("size", c_size_t), ("kind", c_int), ("mode", c_int), ("path", c_char_p), ("uuid", c_char_p),
        ("model_name", c_char_p), ("has_unsaved_changes", c_bool), ("has_autosaved_work", c_bool),
        ("has_recovered_work", c_bool), ("has_conflict", c_bool), ("generation", c_int64), ("saved", c_double),
        ("autosaved", c_double), ("missing_parts", c_char_p),
    ]


class Policy(Structure):
    _fields_ = [
        ("size", c_size_t), ("idle", c_double), ("minimum_interval", c_double), ("maximum_delay", c_double),
        ("saves_when_idle", c_bool), ("on_close", c_int),
    ]


class VersionInfo(Structure):
    _fields_ = [
        ("size", c_size_t), ("generation", c_int64), ("saved", c_double), ("bytes", c_int64), ("name", c_char_p),
        ("is_pinned", c_bool),
    ]


class EntityInfo(Structure):
    _fields_ = [
        ("size", c_size_t), ("name", c_char_p), ("superentity", c_int32), ("is_abstract", c_bool),
        ("property_count", c_size_t),
    ]


class PropertyInfo(Structure):
    _fields_ = [
        ("size", c_size_t), ("name", c_char_p), ("type", c_int), ("is_optional", c_bool), ("is_transient", c_bool),
        ("is_ordered", c_bool), ("destination", c_int32), ("inverse", c_char_p), ("type_name", c_char_p),
    ]


class Query(Structure):
    _fields_ = [
        ("size", c_size_t), ("entity", c_char_p), ("predicate", c_char_p), ("arguments", POINTER(Value)),
        ("argument_count", c_size_t), ("sort", c_char_p), ("limit", c_size_t), ("offset", c_size_t),
        ("excludes_subentities", c_bool),
    ]


class Change(Structure):
    _fields_ = [("kind", c_int), ("origin", c_size_t), ("to", c_size_t), ("reference", Reference)]


class UndoState(Structure):
    _fields_ = [
        ("size", c_size_t), ("can_undo", c_bool), ("can_redo", c_bool), ("open_groups", c_size_t),
        ("has_open_changes", c_bool),
    ]


class ImportOptions(Structure):
    _fields_ = [("size", c_size_t), ("entity", c_char_p), ("match", c_char_p), ("creates_missing", c_bool),
                ("imports_as_new", c_bool)]


class ImportReport(Structure):
    _fields_ = [("size", c_size_t), ("inserted", c_size_t), ("updated", c_size_t), ("unchanged", c_size_t)]


# Whoever makes one of these structures says how large it is.
sizeof_options, sizeof_info, sizeof_policy = (ctypes.sizeof(kind) for kind in (OpenOptions, DocumentInfo, Policy))
sizeof_version, sizeof_entity, sizeof_property = (
    ctypes.sizeof(kind) for kind in (VersionInfo, EntityInfo, PropertyInfo))
sizeof_query, sizeof_undo = ctypes.sizeof(Query), ctypes.sizeof(UndoState)
sizeof_import, sizeof_report = ctypes.sizeof(ImportOptions), ctypes.sizeof(ImportReport)

LIVE_HANDLER = CFUNCTYPE(None, c_void_p, c_void_p, POINTER(Change), c_size_t, c_void_p)
HANDLER = CFUNCTYPE(None, c_void_p, c_void_p, c_int, c_void_p)
DISPATCHER = CFUNCTYPE(None, c_void_p)
COMPLETION = CFUNCTYPE(None, c_void_p, c_void_p)
SOURCE = CFUNCTYPE(c_int64, c_void_p, c_void_p, c_size_t)


def _candidates() -> Iterator[str]:
    """Where the library may be: beside the package, in the prefix that the package was installed into with it, where
    the system looks, where pkg-config says."""
    folder = os.path.dirname(os.path.abspath(__file__))
    yield os.path.join(folder, "libfolio.so.0")
    yield os.path.join(folder, "libfolio.so")
    # PREFIX/share/folio/python/folio, as .ci/install makes it.
    yield os.path.join(folder, *[os.pardir] * 4, "lib", "libfolio.so.0")
    # A copy of it that pip made elsewhere.
    with contextlib.suppress(ImportError):
        prefix: str = importlib.import_module("._prefix", __package__).PREFIX
        yield os.path.join(prefix, "lib", "libfolio.so.0")
    yield "libfolio.so.0"
    found = ctypes.util.find_library("folio")
    if found:
        yield found
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        asked = subprocess.run(
            ["pkg-config", "--variable=libdir", "folio"], capture_output=True, text=True, timeout=10, check=True)
        yield os.path.join(asked.stdout.strip(), "libfolio.so.0")


def _load() -> Any:
    named = os.environ.get("FOLIO_LIBRARY")
    failures = []
    for name in [named] if named else _candidates():
        if os.path.isabs(name) and not named and not os.path.exists(name):
            continue
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            failures.append(str(error))
    raise ImportError("libfolio is not installed: set FOLIO_LIBRARY to its file: " + "; ".join(failures))


library = _load()

# Handles are void pointers; the last parameter of what can fail is the place of an error.
_handle, _text, _error = c_void_p, c_char_p, POINTER(c_void_p)

_functions = {
    "folio_version": (_text, []),
    "folio_handle_count": (c_size_t, []),
    "folio_string_free": (None, [c_void_p]),
    "folio_error_status": (c_int, [_handle]),
    "folio_error_code": (_text, [_handle]),
    "folio_error_message": (_text, [_handle]),
    "folio_error_path": (_text, [_handle]),
    "folio_error_hint": (_text, [_handle]),
    "folio_error_detail": (_text, [_handle]),
    "folio_error_free": (None, [_handle]),
    "folio_document_open": (_handle, [_text, POINTER(OpenOptions), _error]),
    "folio_document_create": (_handle, [_text, _text, c_int, c_bool, _error]),
    "folio_document_close": (c_int, [_handle, c_int, _error]),
    "folio_document_is_open": (c_bool, [_handle]),
    "folio_document_free": (None, [_handle]),
    "folio_document_change_count": (c_void_p, [_handle]),
    "folio_document_get_info": (c_int, [_handle, POINTER(DocumentInfo), _error]),
    "folio_document_save": (c_int, [_handle, _error]),
    "folio_document_start_save": (c_int, [_handle, COMPLETION, c_void_p, _error]),
    "folio_document_save_as": (c_int, [_handle, _text, c_int, c_bool, _error]),
    "folio_document_write_copy": (c_int, [_handle, _text, c_int, c_bool, c_bool, _error]),
    "folio_document_autosave": (c_int, [_handle, _error]),
    "folio_document_revert": (c_int, [_handle, _error]),
    "folio_document_set_policy": (c_int, [_handle, POINTER(Policy), _error]),
    "folio_document_stop_policy": (c_int, [_handle, _error]),
    "folio_document_versions": (_handle, [_handle, _error]),
    "folio_versions_count": (c_size_t, [_handle]),
    "folio_versions_get": (c_int, [_handle, c_size_t, POINTER(VersionInfo), _error]),
    "folio_versions_free": (None, [_handle]),
    "folio_document_restore_version": (c_int, [_handle, c_int64, _error]),
    "folio_document_name_version": (c_int, [_handle, c_int64, _text, _error]),
    "folio_document_pin_version": (c_int, [_handle, c_int64, c_bool, _error]),
    "folio_document_remove_version": (c_int, [_handle, c_int64, _error]),
    "folio_document_export_version": (c_int, [_handle, c_int64, _text, c_int, c_bool, _error]),
    "folio_document_entity_count": (c_size_t, [_handle]),
    "folio_document_get_entity": (c_int, [_handle, c_int32, POINTER(EntityInfo), _error]),
    "folio_document_find_entity": (c_int32, [_handle, _text]),
    "folio_document_get_property": (c_int, [_handle, c_int32, c_size_t, POINTER(PropertyInfo), _error]),
    "folio_document_model_json": (c_void_p, [_handle, _error]),
    "folio_document_insert": (_handle, [_handle, _text, _error]),
    "folio_document_object": (_handle, [_handle, Reference, _error]),
    "folio_document_object_with_uri": (_handle, [_handle, _text, _error]),
    "folio_object_free": (None, [_handle]),
    "folio_object_reference": (c_int, [_handle, POINTER(Reference), _error]),
    "folio_object_uri": (c_void_p, [_handle, _error]),
    "folio_object_obtain_permanent_reference": (c_int, [_handle, _error]),
    "folio_object_changes": (c_int, [_handle, POINTER(c_int), _error]),
    "folio_object_get": (c_int, [_handle, _text, POINTER(Value), _error]),
    "folio_object_read": (c_int, [_handle, POINTER(c_char_p), c_size_t, POINTER(Value), _error]),
    "folio_object_set": (c_int, [_handle, _text, POINTER(Value), _error]),
    "folio_object_get_object": (c_int, [_handle, _text, POINTER(c_void_p), _error]),
    "folio_object_set_object": (c_int, [_handle, _text, _handle, _error]),
    "folio_object_get_objects": (_handle, [_handle, _text, _error]),
    "folio_object_add": (c_int, [_handle, _text, _handle, _error]),
    "folio_object_insert_at": (c_int, [_handle, _text, _handle, c_size_t, _error]),
    "folio_object_remove": (c_int, [_handle, _text, _handle, _error]),
    "folio_object_delete": (c_int, [_handle, _error]),
    "folio_object_refresh": (c_int, [_handle, _error]),
    "folio_object_validate": (c_int, [_handle, _error]),
    "folio_document_validate": (c_int, [_handle, _error]),
    "folio_object_validate_value": (c_int, [_handle, _text, POINTER(Value), _error]),
    "folio_object_open_stream": (_handle, [_handle, _text, _error]),
    "folio_stream_size": (c_int64, [_handle]),
    "folio_stream_read": (c_int, [_handle, c_void_p, c_size_t, POINTER(c_size_t), _error]),
    "folio_stream_seek": (c_int, [_handle, c_int64, _error]),
    "folio_stream_free": (None, [_handle]),
    "folio_object_set_file": (c_int, [_handle, _text, _text, _error]),
    "folio_object_set_stream": (c_int, [_handle, _text, SOURCE, c_void_p, _error]),
    "folio_document_fetch": (_handle, [_handle, POINTER(Query), _error]),
    "folio_document_count": (c_int, [_handle, POINTER(Query), POINTER(c_size_t), _error]),
    "folio_document_check_predicate": (c_int, [_handle, _text, _text, POINTER(c_size_t), _error]),
    "folio_results_count": (c_size_t, [_handle]),
    "folio_results_object": (_handle, [_handle, c_size_t, _error]),
    "folio_results_references": (c_int, [_handle, c_size_t, c_size_t, POINTER(Reference), _error]),
    "folio_results_read": (
        c_int, [_handle, c_size_t, c_size_t, POINTER(c_char_p), c_size_t, c_void_p, _error],
    ),
    "folio_results_free": (None, [_handle]),
    "folio_document_watch": (_handle, [_handle, POINTER(Query), LIVE_HANDLER, c_void_p, _error]),
    "folio_live_results": (_handle, [_handle, _error]),
    "folio_live_free": (None, [_handle]),
    "folio_document_undo": (c_int, [_handle, _error]),
    "folio_document_redo": (c_int, [_handle, _error]),
    "folio_document_get_undo": (c_int, [_handle, POINTER(UndoState), _error]),
    "folio_progress_create": (c_void_p, []),
    "folio_progress_use": (c_int, [_handle, _error]),
    "folio_progress_fraction": (c_double, [_handle]),
    "folio_progress_cancel": (None, [_handle]),
    "folio_progress_free": (None, [_handle]),
    "folio_document_undo_name": (c_void_p, [_handle, _error]),
    "folio_document_redo_name": (c_void_p, [_handle, _error]),
    "folio_document_begin_undo_group": (c_int, [_handle, _text, _error]),
    "folio_document_end_undo_group": (c_int, [_handle, _error]),
    "folio_document_cancel_undo_group": (c_int, [_handle, _error]),
    "folio_document_end_event": (c_int, [_handle, _error]),
    "folio_document_clear_undo": (c_int, [_handle, _error]),
    "folio_document_set_undo": (c_int, [_handle, c_bool, _error]),
    "folio_document_set_handler": (c_int, [_handle, HANDLER, c_void_p, _error]),
    "folio_document_set_dispatcher": (c_int, [_handle, DISPATCHER, c_void_p, _error]),
    "folio_document_dispatch": (c_int, [_handle, _error]),
    "folio_document_check_outside": (c_int, [_handle, POINTER(c_int), _error]),
    "folio_document_resolve_conflict": (c_int, [_handle, c_int, _text, POINTER(c_void_p), _error]),
    "folio_document_import": (
        c_int, [_handle, _text, POINTER(ImportOptions), POINTER(ImportReport), _error],
    ),
    "folio_document_export": (c_int, [_handle, _text, c_int, _text, _error]),
    "folio_diff": (c_int, [_text, _text, POINTER(c_bool), POINTER(c_void_p), _error]),
    "folio_migrate": (c_int, [_text, _text, _error]),
}

for _name, (_result, _parameters) in _functions.items():
    _function = getattr(library, _name)
    _function.restype = _result
    _function.argtypes = _parameters
