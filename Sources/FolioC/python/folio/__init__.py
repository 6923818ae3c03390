"""Documents of objects.

    import folio

    with folio.open("Library.folio") as library:
        for book in library.fetch("Book", "year > %@", 1960, sort=["title"]):
            print(book.title, book.author.name)
        with library.undo_group("Rename"):
            library["Book"].insert(title="Middlemarch", year=1871)
        library.save()

The package is a thin layer over the C library, ``libfolio``, which it finds in this order: the file
that the variable ``FOLIO_LIBRARY`` names, beside the package, where the system looks for libraries.
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
    LockedError,
    MalformedError,
    ModelMismatchError,
    NewerError,
    NotFoundError,
    PermissionError,
    RecoverableError,
    UnavailableError,
    UsageError,
    ValidationError,
)
from ._objects import Members, Object, Results, Stream
from ._values import Large, Reference

__all__ = [
    "CancelledError", "ConflictError", "Document", "Entity", "Error", "ExistsError", "Info", "Large", "Live",
    "LockedError", "MalformedError", "Members", "ModelMismatchError", "NewerError", "NotFoundError", "Object",
    "PermissionError", "Progress", "Property", "RecoverableError", "Reference", "Results", "Stream",
    "UnavailableError", "UsageError", "ValidationError", "Version", "create", "diff", "handle_count", "migrate",
    "open", "version",
]
__version__ = version()
