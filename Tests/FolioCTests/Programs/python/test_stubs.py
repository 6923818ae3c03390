"""Classes that are made of a model, and what a type checker finds with them."""

import contextlib
import importlib
import io
import os
import pathlib
import subprocess
import sqlite3
import sys
import tempfile
import unittest

import folio
from folio import stubs

MODEL = os.environ["FOLIO_MODELS"] + "#Expeditions"

ODD = """<?xml version="1.0" encoding="UTF-8"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="">
    <entity name="Any" representedClassName="Any">
        <attribute name="class" optional="YES" attributeType="String"/>
        <attribute name="delete" optional="YES" attributeType="String"/>
        <attribute name="property" attributeType="Integer 64" defaultValueString="0"/>
        <attribute name="str" attributeType="String" defaultValueString=""/>
    </entity>
    <entity name="Document" representedClassName="Document">
        <attribute name="self" optional="YES" attributeType="String"/>
    </entity>
    <entity name="None" representedClassName="None"/>
</model>
"""

RIGHT = """
import datetime
import expeditions

def titles(document: expeditions.Document) -> list[str]:
    return [journey.title for journey in document["Journey"].fetch("year > %@", 1890)]

with expeditions.open("Doc.folio") as document:
    print(titles(document))
    person = document["Person"].insert(name="Ada")
    born: datetime.datetime | None = person.born
    for journey in document.fetch("Journey", sort="year"):
        if journey.leader is not None:
            print(journey.leader.name.upper(), [stop.arrivedOn for stop in journey.stops])
        journey.members = [person]
        title: str = journey["title"]
"""

WRONG = """
import expeditions

with expeditions.open("Doc.folio") as document:
    for journey in document["Journey"].fetch():
        print(journey.titel)
        journey.year = "1900"
        journey.leader.name
        number: int = journey["title"]
    document["Jorney"]
    document["Person"].insert(nam="Ada")
    document["Person"].insert(name=1)
    document.fetch("Jorney")
    journey.stops = [document["Person"].insert()]
"""


class StubTests(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        sys.path.insert(0, temporary.name)
        self.addCleanup(sys.path.remove, temporary.name)

    def module(self, name):
        self.addCleanup(sys.modules.pop, name, None)
        importlib.invalidate_caches()
        return importlib.import_module(name)

    def test_objects_are_of_the_classes(self):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            self.assertEqual(stubs.main([MODEL, "-o", str(self.folder)]), 0)
        self.assertEqual(
            output.getvalue().split(), [str(self.folder / "expeditions.py"), str(self.folder / "expeditions.pyi")])
        expeditions = self.module("expeditions")
        with expeditions.create(self.folder / "Doc.folio", MODEL) as document:
            self.assertIsInstance(document, expeditions.Document)
            ada = document["Person"].insert(name="Ada")
            camp = document["Camp"].insert(name="Framheim", code="FRAM", capacity=9)
            self.assertIsInstance(ada, expeditions.Person)
            self.assertIsInstance(ada, folio.Object)
            self.assertIsInstance(camp, expeditions.Place)
            self.assertNotIsInstance(camp, expeditions.Person)
            self.assertEqual((ada.name, camp.capacity, type(camp).__name__), ("Ada", 9, "Camp"))
            document.save()
        with expeditions.open(self.folder / "Doc.folio", "read") as document:
            self.assertIsInstance(document["Person"].first(), expeditions.Person)
            self.assertIsInstance(document.fetch("Place")[0], expeditions.Camp)

    def test_names_that_python_has_are_no_hindrance(self):
        model = self.folder / "Odd.xcdatamodel"
        model.mkdir()
        (model / "contents").write_text(ODD)
        stubs.write(str(model), str(self.folder), "odd_names")
        odd = self.module("odd_names")
        with odd.create(self.folder / "Odd.folio", model) as document:
            item = document["Any"].insert(**{"class": "A", "delete": "B", "property": 3, "str": "C"})
            self.assertIsInstance(item, odd.Any)
            self.assertEqual((item["class"], item["delete"], item.property, item.str), ("A", "B", 3, "C"))
            self.assertIsInstance(document["Document"].insert(), odd.Document_)
            self.assertIsInstance(document["None"].insert(), odd.None_)
            document.save()
        compile((self.folder / "odd_names.pyi").read_text(), "odd_names.pyi", "exec")
        with self.assertRaises(ValueError):
            stubs.write(str(model), str(self.folder), "no name")

    def test_mistakes_are_errors_with_the_codes_of_the_command(self):
        with contextlib.redirect_stderr(io.StringIO()) as messages:
            self.assertEqual(stubs.main([str(self.folder / "Nothing.xcdatamodeld")]), 66)
        self.assertIn("folio.stubs: ", messages.getvalue())

    def test_a_type_checker_finds_mistakes(self):
        mypy = [sys.executable, "-m", "mypy"]
        if subprocess.run([*mypy, "--version"], capture_output=True).returncode:
            self.skipTest("mypy is not installed")
        stubs.write(MODEL, str(self.folder))

        for name, text in {"right.py": RIGHT, "wrong.py": WRONG}.items():
            (self.folder / name).write_text(text)
        words = [*mypy, "--strict", "--cache-dir", str(self.folder / "cache"), "right.py", "wrong.py"]
        found = subprocess.run(words, cwd=self.folder, capture_output=True, text=True).stdout
        errors = [line.split(":")[:2] for line in found.splitlines() if ": error:" in line]
        self.assertEqual(errors, [["wrong.py", str(line)] for line in range(6, 15)], found)


class MissingPartTests(unittest.TestCase):
    def test_what_a_store_lacks_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "Doc.sqlite")
            with folio.create(path, MODEL) as document:
                document["Person"].insert(name="Ada")
                document.save()
                self.assertEqual(document.info.missing_parts, ())
            connection = sqlite3.connect(path)
            connection.execute("ALTER TABLE ZPERSON DROP COLUMN ZHOMEPAGE")
            connection.commit()
            connection.close()
            with folio.open(path, "read") as document:
                self.assertEqual(len(document.info.missing_parts), 1)
                self.assertIn("Person.homepage", document.info.missing_parts[0])


if __name__ == "__main__":
    unittest.main()
