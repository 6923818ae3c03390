"""Exceptions by what went wrong, and calls that raise them."""

import builtins
import ctypes
import json
from ctypes import byref, c_void_p

from ._library import library


class Error(Exception):
    """An error of the library.

    ``code`` is a word that identifies it, ``path`` the file that it is about or None, ``hint`` what can be done or
    None, ``detail`` a dictionary, ``status`` the number that the command `folio` would exit with.
    """

    def __init__(self, message, code="", status=0, path=None, hint=None, detail=None):
        super().__init__(message)
        self.code = code
        self.status = status
        self.path = path
        self.hint = hint
        self.detail = detail or {}


class UsageError(Error, ValueError):
    """The call is wrong: an unknown key, a value of the wrong type, a closed document."""


class MalformedError(Error):
    """The document or the data are malformed."""


class ValidationError(MalformedError):
    """Rules of the model are violated; ``failures`` lists them as dictionaries."""

    @property
    def failures(self):
        return self.detail.get("failures", [])


class NotFoundError(Error, LookupError):
    """There is no such document, version or object."""


class UnavailableError(Error):
    """Not possible for this kind of document."""


class ExistsError(Error):
    """Something exists where a file is to be created."""


class ConflictError(Error):
    """Another program has changed the document meanwhile."""


class LockedError(Error):
    """Another program edits the document; ``holder`` says which."""

    @property
    def holder(self):
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


_by_code = {"validation": ValidationError, "locked": LockedError, "recoverable": RecoverableError}
_by_status = {
    64: UsageError, 65: MalformedError, 66: NotFoundError, 69: UnavailableError, 73: ExistsError, 75: ConflictError,
    76: NewerError, 77: PermissionError, 78: ModelMismatchError, 130: CancelledError,
}


def text(pointer):
    return None if pointer is None else pointer.decode()


def exception(handle):
    """The exception for an error, which is not freed."""
    code, status = text(library.folio_error_code(handle)), library.folio_error_status(handle)
    kind = _by_code.get(code) or _by_status.get(status, Error)
    return kind(
        text(library.folio_error_message(handle)), code, status, text(library.folio_error_path(handle)),
        text(library.folio_error_hint(handle)), json.loads(text(library.folio_error_detail(handle)) or "{}"))


def call(function, *arguments):
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


def owned_text(pointer):
    """Text that a function returned, which is freed."""
    try:
        return ctypes.string_at(pointer).decode()
    finally:
        library.folio_string_free(pointer)


def encoded(value):
    """Text for the library; None stays None."""
    if value is None:
        return None
    text = value if isinstance(value, bytes) else str(value).encode()
    if b"\0" in text:
        raise UsageError("text for the library has no zero bytes", "usage", 64)
    return text
