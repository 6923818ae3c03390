"""Writes classes of a model's entities with annotations, with which a type checker finds mistakes:

    python -m folio.stubs Library.xcdatamodeld -o src

makes ``src/library.py``, with a class for each entity and one for documents, and ``src/library.pyi``, which says what
they have:

    import library

    with library.open("Library.folio") as document:
        for book in document["Book"].fetch("year > %@", 1960):
            print(book.title)    # a str; book.titel is an error of the type checker

MODEL is the file of a model, one version of it (FILE#Name) or a document.
"""

from __future__ import annotations

import argparse
import builtins
import keyword
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Optional

from . import Document, Entity, Error, ModelObject, Property, create

_TYPES = {
    "Integer 16": "_b.int", "Integer 32": "_b.int", "Integer 64": "_b.int", "Boolean": "_b.bool",
    "Double": "_b.float", "Float": "_b.float", "Decimal": "_decimal.Decimal", "Date": "_datetime.datetime",
    "String": "_b.str", "Binary": "_b.bytes", "UUID": "_uuid.UUID", "URI": "_b.str",
    "Composite": "_b.dict[_b.str, _t.Any]",
}
# Names that no property and no entity has.
_IMPORTS = {
    "builtins": "_b", "datetime": "_datetime", "decimal": "_decimal", "os": "_os", "typing": "_t", "uuid": "_uuid",
}


def _identifier(name: str) -> str:
    """A name that Python takes."""
    changed = re.sub(r"\W", "_", name)
    if not changed or not (changed[0].isalpha() or changed[0] == "_"):
        changed = "_" + changed
    return changed + "_" if keyword.iskeyword(changed) else changed


class _Model:
    """The entities of a model, with the names of their classes."""

    def __init__(self, document: Document, name: str) -> None:
        self.name = name
        self.entities: list[Entity[ModelObject]] = []
        # A class stands after the one that it inherits from.
        waiting = list(document.entities)
        while waiting:
            known = {entity.name for entity in self.entities}
            for entity in list(waiting):
                if entity.superentity is None or entity.superentity.name in known:
                    self.entities.append(entity)
                    waiting.remove(entity)
        self.classes: dict[str, str] = {}
        taken = {"open", "create", "Document"}
        for entity in self.entities:
            self.classes[entity.name] = self._free(_identifier(entity.name), taken)
        self.kinds = {
            entity.name: self._free("_" + self.classes[entity.name], taken) for entity in self.entities}

    @staticmethod
    def _free(name: str, taken: set[str]) -> str:
        while name in taken:
            name += "_"
        taken.add(name)
        return name

    def base(self, entity: Entity[ModelObject], other: str) -> str:
        return self.classes[entity.superentity.name] if entity.superentity else other

    def type(self, property: Property) -> str:
        """The annotation of a property's values."""
        if property.destination is not None:
            kind = self.classes[property.destination]
            return f"_folio.Members[{kind}]" if property.is_to_many else f"_t.Optional[{kind}]"
        found = _TYPES.get(property.type)
        if found is None:
            return "_t.Any"
        return f"_t.Optional[{found}]" if property.is_optional else found

    def input(self, property: Property) -> str:
        """The annotation of what a property is set to."""
        if property.destination is not None and property.is_to_many:
            return f"_t.Iterable[{self.classes[property.destination]}]"
        return self.type(property)

    # The files

    @property
    def module(self) -> Iterator[str]:
        yield f'"""The classes of the model {self.name}. Made by folio.stubs: changes are lost."""'
        yield ""
        yield "import folio as _folio"
        for entity in self.entities:
            yield ""
            yield ""
            yield f"class {self.classes[entity.name]}({self.base(entity, '_folio.Object')}):"
            yield f'    """An object of the entity {entity.name}."""'
            yield ""
            yield "    __slots__ = ()"
        yield ""
        yield ""
        yield "class Document(_folio.Document):"
        yield f'    """A document of the model {self.name}."""'
        yield ""
        yield "    _classes = {"
        for entity in self.entities:
            yield f"        {entity.name!r}: {self.classes[entity.name]},"
        yield "    }"
        yield ""
        yield ""
        yield "open = Document.open"
        yield "create = Document.create"

    @property
    def stub(self) -> Iterator[str]:
        # Methods take fewer values than those that they override.
        yield '# mypy: disable-error-code="override"'
        yield "# pyright: reportIncompatibleMethodOverride=false"
        for name, short in _IMPORTS.items():
            yield f"import {name} as {short}"
        yield ""
        yield "import folio as _folio"
        for entity in self.entities:
            yield ""
            yield from self._class(entity)
        for entity in self.entities:
            yield ""
            yield from self._kind(entity)
        yield ""
        yield "class Document(_folio.Document):"
        yield from self._overloads("__getitem__", (
            f"name: _t.Literal[{entity.name!r}]) -> {self.kinds[entity.name]}" for entity in self.entities))
        yield from self._overloads("fetch", (
            f"entity: _t.Literal[{entity.name!r}], predicate: _t.Optional[_b.str] = ..., *arguments: _t.Any, "
            "sort: _t.Union[_b.str, _t.Iterable[_b.str]] = ..., limit: _b.int = ..., offset: _b.int = ..., "
            f"subentities: _b.bool = ...) -> _folio.Results[{self.classes[entity.name]}]"
            for entity in self.entities))
        path = "_t.Union[_b.str, _os.PathLike[_b.str]]"
        yield ""
        yield "def open("
        yield f"    path: {path},"
        yield "    mode: _t.Literal['edit', 'read'] = ...,"
        yield "    recovery: _t.Literal['refuse', 'keep', 'discard'] = ...,"
        yield f"    model: _t.Optional[{path}] = ...,"
        yield "    migration: _t.Any = ...,"
        yield "    version: _t.Optional[_b.int] = ...,"
        yield ") -> Document: ..."
        yield "def create("
        yield f"    path: {path},"
        yield f"    model: {path},"
        yield "    form: _t.Optional[_t.Literal['package', 'archive', 'sqlite', 'binary', 'xml']] = ...,"
        yield "    replace: _b.bool = ...,"
        yield ") -> Document: ..."

    def _class(self, entity: Entity[ModelObject]) -> Iterator[str]:
        inherited = {property.name for property in entity.superentity.properties} if entity.superentity else set()
        own = [property for property in entity.properties if property.name not in inherited]
        yield f"class {self.classes[entity.name]}({self.base(entity, '_folio.ModelObject')}):"
        lines = 0
        for property in own:
            # Others are items alone.
            name = property.name
            if not name.isidentifier() or keyword.iskeyword(name) or hasattr(ModelObject, name):
                continue
            lines += 1
            read, written = self.type(property), self.input(property)
            if read == written:
                yield f"    {property.name}: {read}"
            else:
                yield "    @_b.property"
                yield f"    def {property.name}(self) -> {read}: ..."
                yield f"    @{property.name}.setter"
                yield f"    def {property.name}(self, value: {written}) -> None: ..."
        every = entity.properties
        if every:
            yield from self._items("__getitem__", every, "", self.type)
            yield from self._items("__setitem__", every, ", value: {}", self.input)
        elif not lines:
            yield "    ..."

    def _items(
        self, method: str, properties: Sequence[Property], value: str, annotation: Callable[[Property], str],
    ) -> Iterator[str]:
        def header(property: Property) -> str:
            kind = annotation(property)
            return f"key: _t.Literal[{property.name!r}]{value.format(kind)}) -> {'None' if value else kind}"

        yield from self._overloads(method, map(header, properties))

    def _kind(self, entity: Entity[ModelObject]) -> Iterator[str]:
        kind = self.classes[entity.name]
        yield f"class {self.kinds[entity.name]}(_folio.Entity[{kind}]):"
        if entity.is_abstract:
            yield "    def insert(self) -> _t.NoReturn: ..."
            return
        settable = [
            property for property in entity.properties
            if property.name.isidentifier() and not keyword.iskeyword(property.name) and property.name != "self"]
        parameters = "".join(f", {property.name}: {self.input(property)} = ..." for property in settable)
        others = ", **items: _t.Any" if len(settable) < len(entity.properties) else ""
        star = ", *" if parameters else ""
        yield f"    def insert(self{star}{parameters}{others}) -> {kind}: ..."

    @staticmethod
    def _overloads(method: str, headers: Iterable[str]) -> Iterator[str]:
        """A method for some values of its first parameter, of which there are fewer than in the base class."""
        every = list(headers)
        for header in every:
            if len(every) > 1:
                yield "    @_t.overload"
            yield f"    def {method}(self, {header}: ..."


def write(model: str, folder: str = ".", name: Optional[str] = None) -> list[str]:
    """Writes the two files for a model, and returns their paths. ``name`` is that of the module; by default the
    model's file in small letters."""
    if name is None:
        stem = os.path.basename(os.path.normpath(model.partition("#")[0]))
        name = _identifier(stem.partition(".")[0].lower())
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"{name!r} is no name of a module")
    with tempfile.TemporaryDirectory() as temporary:
        with create(os.path.join(temporary, "Model.folio"), model) as document:
            described = _Model(document, name)
            files = {
                name + ".py": "\n".join(described.module) + "\n",
                name + ".pyi": "\n".join(described.stub) + "\n",
            }
    os.makedirs(folder, exist_ok=True)
    paths = []
    for file, text in files.items():
        paths.append(os.path.join(folder, file))
        with builtins.open(paths[-1], "w", encoding="utf-8") as output:
            output.write(text)
    return paths


def main(words: Optional[Sequence[str]] = None) -> int:
    """The command line: the exit code is that of the command `folio` for the same mistake."""
    parser = argparse.ArgumentParser(
        prog="python -m folio.stubs", description="Writes classes of a model's entities with annotations.")
    parser.add_argument(
        "model", metavar="MODEL", help="the file of a model, one version of it (FILE#Name), or a document")
    parser.add_argument(
        "-o", "--output", metavar="FOLDER", default=".", help="where the files go; it is made where there is none")
    parser.add_argument("--name", help="the name of the module; by default that of the model in small letters")
    options = parser.parse_args(words)
    try:
        for path in write(options.model, options.output, options.name):
            print(path)
    except Error as error:
        print(f"folio.stubs: {error}", file=sys.stderr)
        return error.status
    except (OSError, ValueError) as error:
        print(f"folio.stubs: {error}", file=sys.stderr)
        return 74 if isinstance(error, OSError) else 64
    return 0


if __name__ == "__main__":
    sys.exit(main())
