"""Exceptions by what went wrong, and calls that raise them."""

from __future__ import annotations

import builtins
import ctypes
import json
from ctypes import byref, c_void_p
from typing import Any, Optional

from ._library import library


class Error(Exception):
    """An error of the library.

    ``code`` is a word that identifies it, ``path`` the file that it is about or None, ``hint`` what can be done or
    None, ``detail`` a dictionary, ``status`` the number that the command `folio` would exit with.
    """

    def __init__(
        self, message: str, code: str = "", status: int = 0, path: Optional[str] = None, hint: Optional[str] = None,
        detail: Optional[dict[str, Any]] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.status = status
        self.path = path
        self.hint = hint
        self.detail = detail or {}

    def __str__(self) -> str:
        return self.message


class UsageError(Error, ValueError):
    """The call is wrong: a value that can't be, a closed document."""


class UnknownNameError(UsageError, KeyError):
    """The model has no such entity, or the entity no such property."""


class WrongTypeError(UsageError, TypeError):
    """A value has a type that the property can't have."""


class MalformedError(Error):
    """The document or the data are malformed."""


class ValidationError(MalformedError):
    """Rules of the model are violated; ``failures`` lists them as dictionaries."""

    @property
    def failures(self) -> list[dict[str, Any]]:
        return list(self.detail.get("failures", []))


class NotFoundError(Error, LookupError):
    """There is no such document, version or object."""


class MissingFileError(NotFoundError, FileNotFoundError):
    """There is no document, model or other file at the path."""


class UnavailableError(Error):
    """Not possible for this kind of document."""


class ExistsError(Error, FileExistsError):
    """Something exists where a file is to be created, or its folder does not exist."""


class InputOutputError(Error, OSError):
    """The system could not read or write: a full disk, a broken one."""


class ConflictError(Error):
    """Another program has changed the document meanwhile."""


class LockedError(Error):
    """Another program edits the document; ``holder`` says which."""

    @property
    def holder(self) -> Any:
        return self.detail.get("holder")


class RecoverableError(Error):
    """A former editor left unsaved work: open with ``recovery="keep"`` or ``"discard"``."""


class NewerError(Error):
    """The document is newer than the library."""


class PermissionError(Error, builtins.PermissionError):
    """Permission denied, or the document is open for reading only."""


class ModelMismatchError(Error):
    """The document has another model: it needs a migration."""


class CancelledError(Error):
    """A function of the caller cancelled the operation."""


_by_code = {
    "validation": ValidationError, "locked": LockedError, "recoverable": RecoverableError,
    "unknownKey": UnknownNameError, "unknownEntity": UnknownNameError, "wrongType": WrongTypeError,
}
_by_status = {
    64: UsageError, 65: MalformedError, 66: NotFoundError, 69: UnavailableError, 73: ExistsError, 74: InputOutputError,
    75: ConflictError, 76: NewerError, 77: PermissionError, 78: ModelMismatchError, 130: CancelledError,
}


def text(pointer: Optional[bytes]) -> Any:
    """Text of the library; None for NULL."""
    return None if pointer is None else pointer.decode()


def exception(handle: Any) -> Error:
    """The exception for an error, which is not freed."""
    code, status = text(library.folio_error_code(handle)), library.folio_error_status(handle)
    path = text(library.folio_error_path(handle))
    kind: type[Error] = _by_code.get(code) or _by_status.get(status, Error)
    if kind is NotFoundError and path is not None:
        kind = MissingFileError
    return kind(
        text(library.folio_error_message(handle)), code, status, path, text(library.folio_error_hint(handle)),
        json.loads(text(library.folio_error_detail(handle)) or "{}"))


def call(function: Any, *arguments: Any) -> Any:
    """Calls a function with a place for an error, and raises that."""
    error = c_void_p()
    result = function(*arguments, byref(error))
    if error.value:
        try:
            failure = exception(error)
        finally:
            library.folio_error_free(error)
        raise failure
    return result


def owned_text(pointer: Any) -> str:
    """Text that a function returned, which is freed."""
    try:
        return ctypes.string_at(pointer).decode()
    finally:
        library.folio_string_free(pointer)


def encoded(value: Any) -> Optional[bytes]:
    """Text for the library; None stays None."""
    if value is None:
        return None
    text = value if isinstance(value, bytes) else str(value).encode()
    if b"\0" in text:
        raise UsageError("text for the library has no zero bytes", "usage", 64)
    return text
