"""Documents of objects.

    import folio

    with folio.open("Library.folio") as library:
        for book in library.fetch("Book", "year > %@", 1960, sort=["title"]):
            print(book.title, book.author.name)
        with library.undo_group("Rename"):
            library["Book"].insert(title="Middlemarch", year=1871)
        library.save()

The package is a layer over the C library, ``libfolio``, which it looks for in this order: the file that the variable
``FOLIO_LIBRARY`` names, beside the package, in the prefix that both were installed into, where the system looks for
libraries, where pkg-config says.

Threads may share documents, objects and results. Handles can't be copied or pickled. A process that was forked after
the package was used can't use it: `multiprocessing` has the start method "spawn" for that.
"""

from ._document import (
    Document,
    Entity,
    Info,
    Live,
    Progress,
    Property,
    Version,
    create,
    diff,
    handle_count,
    migrate,
    open,
    version,
)
from ._errors import (
    CancelledError,
    ConflictError,
    Error,
    ExistsError,
    InputOutputError,
    LockedError,
    MalformedError,
    MissingFileError,
    ModelMismatchError,
    NewerError,
    NotFoundError,
    PermissionError,
    RecoverableError,
    UnavailableError,
    UnknownNameError,
    UsageError,
    ValidationError,
    WrongTypeError,
)
from ._objects import Members, ModelObject, Object, Results, Stream
from ._values import Large, Reference

__all__ = [
    "CancelledError", "ConflictError", "Document", "Entity", "Error", "ExistsError", "Info", "InputOutputError",
    "Large", "Live", "LockedError", "MalformedError", "Members", "MissingFileError", "ModelMismatchError",
    "ModelObject", "NewerError", "NotFoundError", "Object", "PermissionError", "Progress", "Property",
    "RecoverableError", "Reference", "Results", "Stream", "UnavailableError", "UnknownNameError", "UsageError",
    "ValidationError", "Version", "WrongTypeError", "create", "diff", "handle_count", "migrate", "open", "version",
]
__version__ = version()
