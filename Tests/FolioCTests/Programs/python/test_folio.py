"""The Python package does what a document-based application does. Run by `python3 -m unittest` or pytest; the variables
FOLIO_LIBRARY, FOLIO_MODELS and PYTHONPATH are set by the test that runs it."""

import asyncio
import collections
import collections.abc
import contextlib
import copy
import datetime
import decimal
import gc
import io
import json
import math
import os
import pathlib
import pickle
import random
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
import uuid

import folio

MODELS = os.environ["FOLIO_MODELS"]
MODEL = MODELS + "#Expeditions"


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="folio-python-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.path = self.folder / "Test.folio"
        self.document = folio.create(self.path, MODEL)

    def tearDown(self):
        if self.document.is_open:
            self.document.close("discard")
        self.document = None
        gc.collect()
        self.assertEqual(folio.handle_count(), 0)

    def people(self, *names):
        return [self.document["Person"].insert(name=name) for name in names]


class Objects(Case):
    def test_values_of_every_type_come_back(self):
        born = datetime.datetime(1861, 10, 10, 12, 30, 0, 250000, tzinfo=datetime.timezone.utc)
        badge = uuid.uuid4()
        person = self.document["Person"].insert(
            name="Frïdtjof", born=born, badge=badge, homepage="https://example.org/", portrait=b"\0\1\2")
        camp = self.document["Camp"].insert(latitude=81.25, elevation=18.5, capacity=3, isCharted=False)
        journey = self.document["Journey"].insert(budget=decimal.Decimal("444339.36"), route=b"\1\2", distance=2**40)
        self.assertEqual(person.name, "Frïdtjof")
        self.assertEqual(person.born, born)
        self.assertEqual(person["badge"], badge)
        self.assertEqual(person.homepage, "https://example.org/")
        self.assertEqual(person.portrait, b"\0\1\2")
        self.assertEqual((camp.latitude, camp.elevation, camp.capacity, camp.isCharted), (81.25, 18.5, 3, False))
        self.assertIs(camp.isCharted, False)
        self.assertEqual((journey.budget, journey.route, journey.distance), (decimal.Decimal("444339.36"), b"\1\2", 2**40))
        self.assertIsNone(camp.name)
        person.born = datetime.date(1900, 1, 2)
        self.assertEqual(person.born, datetime.datetime(1900, 1, 2, tzinfo=datetime.timezone.utc))
        person.homepage = None
        self.assertIsNone(person.homepage)

    def test_what_does_not_fit_is_an_error_and_changes_nothing(self):
        [person] = self.people("A")
        with self.assertRaises(AttributeError):
            person.age = 3
        with self.assertRaises(AttributeError):
            person.age
        with self.assertRaises(folio.UsageError) as caught:
            person["age"]
        self.assertEqual(caught.exception.code, "unknownKey")
        with self.assertRaises(folio.UsageError):
            person.name = 3
        with self.assertRaises(folio.UsageError):
            person.badge = "no UUID"
        with self.assertRaises(OverflowError):
            self.document["Journey"].first() or self.document["Journey"].insert(distance=2**63)
        with self.assertRaises(folio.UsageError):
            self.document["Place"].insert()
        with self.assertRaises(KeyError):
            self.document["Nobody"]
        self.assertEqual(person.name, "A")
        self.assertEqual(len(self.document["Journey"]), 0)

    def test_relationships_are_collections(self):
        leader, member = self.people("Roald", "Olav")
        journey = self.document["Journey"].insert(title="South", leader=leader, members=[leader, member])
        self.assertEqual(journey.leader, leader)
        self.assertEqual(len(journey.members), 2)
        self.assertIn(member, journey.members)
        self.assertEqual({person.name for person in journey.members}, {"Roald", "Olav"})
        self.assertEqual(leader.leads[0], journey)
        journey.members.remove(leader)
        self.assertEqual(list(journey.members), [member])
        journey.members.add(leader)
        stops = [self.document["Stop"].insert(nights=number) for number in range(3)]
        journey.stops.extend(stops)
        journey.stops.insert(0, stops[2])
        self.assertEqual([stop.nights for stop in journey.stops], [2, 0, 1])
        del journey.stops[1]
        self.assertEqual(journey.stops, [stops[2], stops[1]])
        journey.stops[0] = stops[0]
        self.assertEqual([stop.nights for stop in journey.stops], [0, 1])
        journey.stops = None
        self.assertEqual(len(journey.stops), 0)
        journey.leader = None
        self.assertIsNone(journey.leader)
        self.assertEqual(journey.read("title", "leader.name", "leader"), ("South", None, None))

    def test_objects_are_equal_by_what_they_are_and_can_be_kept_in_sets(self):
        first, second = self.people("A", "B")
        names = {first: 1, second: 2}
        self.document.save()
        again = self.document["Person"].first("name = %@", "A")
        self.assertIsNot(again, first)
        self.assertEqual(again, first)
        self.assertEqual(names[again], 1)
        self.assertNotEqual(first, second)
        self.assertEqual(self.document.object(first.reference), first)
        self.assertEqual(self.document.object(first.uri), first)
        self.assertIn("Person/p", repr(first))
        self.assertIn("name", dir(first))
        with self.assertRaises(folio.NotFoundError):
            self.document.object("Person/p99")

    def test_fetching_takes_predicates_sort_orders_and_windows(self):
        self.people(*[f"Person {number:03}" for number in range(50)])
        found = self.document.fetch("Person", "name BEGINSWITH %@ AND name != %@", "Person 00", "Person 003", sort=["-name"])
        self.assertEqual([person.name for person in found][:2], ["Person 009", "Person 008"])
        self.assertEqual(len(found), 9)
        self.assertEqual(found[-1].name, "Person 000")
        self.assertEqual([person.name for person in found[1:3]], ["Person 008", "Person 007"])
        with self.assertRaises(IndexError):
            found[9]
        self.assertEqual(self.document["Person"].count("name IN %@", ["Person 001", "Person 002", "?"]), 2)
        self.assertEqual(len(self.document["Person"].fetch(sort=["name"], limit=5, offset=48)), 2)
        self.assertEqual(len(self.document["Person"]), 50)
        self.assertEqual(sum(1 for _ in self.document["Person"]), 50)
        with self.assertRaises(folio.UsageError) as caught:
            self.document.fetch("Person", "name = ")
        self.assertEqual(caught.exception.code, "predicateSyntax")
        with self.assertRaises(folio.UsageError) as caught:
            self.document.check_predicate("Person", "name == ==")
        self.assertEqual(caught.exception.detail["offset"], 8)
        self.assertRaises(folio.UsageError, self.document.fetch, "Person", limit=-1)

    def test_rows_are_read_in_bulk(self):
        leader = self.people("L")[0]
        for number in range(5000):
            self.document["Journey"].insert(
                title=f"Journey {number:04}", year=number % 3000 - 1500, leader=leader if number % 2 else None,
                budget=decimal.Decimal(number) / 4 if number % 3 else None,
                startedOn=datetime.datetime(1900, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(days=number))
        found = self.document.fetch("Journey", sort=["title"])
        rows = list(found.rows("title", "year", "leader.name", "budget", "startedOn", "leader"))
        self.assertEqual(len(rows), 5000)
        self.assertEqual(rows[4999][:4], ("Journey 4999", 1999 - 1500, "L", decimal.Decimal("1249.75")))
        self.assertEqual(rows[0][:4], ("Journey 0000", -1500, None, None))
        self.assertEqual(rows[3][4], datetime.datetime(1900, 1, 4, tzinfo=datetime.timezone.utc))
        self.assertEqual(rows[1][5], leader.reference)
        self.assertEqual(list(found.rows()), [()] * 5000)
        self.assertEqual(next(found.dicts("title", "year")), {"title": "Journey 0000", "year": -1500})
        columns = found.columns("year", "title")
        self.assertEqual(columns["year"][:3], [-1500, -1499, -1498])
        self.assertEqual(len(columns["title"]), 5000)
        self.assertEqual(len(found.references), 5000)
        with self.assertRaises(folio.UsageError):
            list(found.rows("length"))
        nothing = self.document.fetch("Journey", "FALSEPREDICATE")
        self.assertEqual((list(nothing.rows("title")), nothing.columns("title")), ([], {"title": []}))

    def test_large_values_are_streams_files_and_bytes(self):
        [person] = self.people("A")
        content = os.urandom(3_000_000)
        person.portrait = io.BytesIO(content)
        self.document.save()
        with person.open("portrait") as stream:
            self.assertEqual(stream.size, len(content))
            stream.seek(-10, io.SEEK_END)
            self.assertEqual(stream.read(), content[-10:])
            stream.seek(0)
            self.assertEqual(io.BufferedReader(stream, 65536).read(), content)
        self.assertEqual(list(self.document["Person"].fetch().rows("portrait")), [(folio.Large(len(content)),)])
        file = self.folder / "portrait.bin"
        file.write_bytes(b"from a file")
        person.portrait = file
        self.document.save()
        self.assertEqual(person.portrait, b"from a file")

        class Failing(io.RawIOBase):
            def read(self, size=-1):
                raise RuntimeError("no more")

        with self.assertRaisesRegex(RuntimeError, "no more"):
            person.portrait = Failing()

        class TooMuch(io.RawIOBase):
            def read(self, size=-1):
                return b"x" * (size + 1)

        with self.assertRaisesRegex(ValueError, "returned 1048577 bytes"):
            person.portrait = TooMuch()
        self.assertEqual(person.portrait, b"from a file")

    def test_validation_names_the_rule(self):
        [person] = self.people("A")
        journey = self.document["Journey"].insert(title="T", year=5000)
        for check in (journey.validate, self.document.validate, self.document.save):
            with self.assertRaises(folio.ValidationError) as caught:
                check()
            self.assertIn("year", {failure["key"] for failure in caught.exception.failures})
        with self.assertRaises(folio.ValidationError):
            person.validate_value("name", "")
        person.validate_value("name", "B")
        person.validate()

    def test_the_state_of_objects(self):
        [person] = self.people("A")
        self.assertTrue(person.is_inserted)
        self.document.save()
        self.assertFalse(person.is_inserted or person.is_updated or person.is_deleted)
        person.name = "B"
        self.assertTrue(person.is_updated)
        person.refresh()
        self.assertEqual(person.name, "A")
        person.delete()
        self.assertTrue(person.is_deleted)
        self.document.save()
        with self.assertRaises(folio.NotFoundError):
            person.name
        self.assertIn("deleted", repr(person))


class Undo(Case):
    def test_a_group_is_one_step_with_a_name(self):
        with self.document.undo_group("Add two"):
            self.people("A", "B")
        self.assertEqual(self.document.undo_name, "Add two")
        self.document.undo()
        self.assertEqual(len(self.document["Person"]), 0)
        self.assertTrue(self.document.can_redo and not self.document.can_undo)
        self.assertEqual(self.document.redo_name, "Add two")
        self.document.redo()
        self.assertEqual(len(self.document["Person"]), 2)

    def test_a_group_that_fails_is_undone(self):
        self.people("A")
        self.document.end_event()
        with self.assertRaises(RuntimeError):
            with self.document.undo_group("Fail"):
                self.people("B")
                raise RuntimeError
        with self.assertRaises(RuntimeError):
            with self.document.undo_group("Fail empty"):
                raise RuntimeError
        self.assertEqual([person.name for person in self.document["Person"]], ["A"])
        self.document.undo()
        self.assertEqual(len(self.document["Person"]), 0)

    def test_a_group_that_fails_within_another_is_taken_back_alone(self):
        with self.document.undo_group("Outer"):
            self.people("A")
            with self.assertRaises(RuntimeError):
                with self.document.undo_group():
                    self.people("B")
                    raise RuntimeError
        self.assertEqual([person.name for person in self.document["Person"]], ["A"])
        self.document.undo()
        self.assertEqual(len(self.document["Person"]), 0)

    def test_changes_without_undo(self):
        with self.document.without_undo():
            self.people("A")
        self.assertFalse(self.document.can_undo)
        self.people("B")
        self.document.end_event()
        self.document.clear_undo()
        self.assertFalse(self.document.can_undo)


class Documents(Case):
    def test_an_operation_is_cancelled(self):
        self.people("A")
        progress = folio.Progress()
        self.assertEqual(progress.fraction, 0)
        progress.cancel()
        with self.assertRaises(folio.CancelledError), progress:
            self.document.save()
        self.assertTrue(self.document.has_unsaved_changes)
        self.document.save()
        self.assertFalse(self.document.has_unsaved_changes)

    def test_a_document_is_opened_saved_and_found_again(self):
        self.people("A")
        self.assertTrue(self.document.has_unsaved_changes)
        self.document.save()
        info = self.document.info
        self.assertEqual((info.kind, info.mode, info.generation, info.model_name), ("package", "edit", 1, "Expeditions"))
        self.assertLess(abs(info.saved - datetime.datetime.now(datetime.timezone.utc)), datetime.timedelta(minutes=5))
        with self.assertRaises(folio.LockedError) as caught:
            folio.open(self.path)
        self.assertEqual(caught.exception.holder["pid"], os.getpid())
        with folio.open(self.path, mode="read") as reader:
            self.assertEqual([person.name for person in reader["Person"]], ["A"])
            with self.assertRaises(PermissionError):
                reader["Person"].insert(name="B")
        self.assertFalse(reader.is_open)
        self.assertEqual(repr(reader), "<Document, closed>")
        with self.assertRaises(folio.UsageError):
            reader.save()

    def test_unsaved_work_is_kept_and_recovered(self):
        with self.document as document:
            self.people("A")
        self.assertFalse(document.is_open)
        with self.assertRaises(folio.RecoverableError):
            folio.open(self.path)
        with folio.open(self.path, recovery="keep") as document:
            self.assertTrue(document.info.has_recovered_work)
            self.assertEqual(len(document["Person"]), 1)
            document.revert()
            self.assertEqual(len(document["Person"]), 0)
        with folio.open(self.path, recovery="discard") as document:
            self.assertEqual(len(document["Person"]), 0)

    def test_copies_and_other_places(self):
        self.people("A")
        self.document.write_copy(self.folder / "Copy.folioz")
        with self.assertRaises(folio.ExistsError):
            self.document.write_copy(self.folder / "Copy.folioz")
        with folio.open(self.folder / "Copy.folioz") as copy:
            self.assertEqual((copy.info.kind, len(copy["Person"])), ("archive", 1))
        self.document.save_as(self.folder / "Other.sqlite")
        self.assertEqual(self.document.info.kind, "store")
        with self.assertRaises(folio.UnavailableError):
            self.people("B")
            self.document.autosave()
        self.document.close("save")
        self.assertIsNotNone(folio.diff(self.folder / "Copy.folioz", self.folder / "Other.sqlite"))
        self.assertIsNone(folio.diff(self.folder / "Other.sqlite", self.folder / "Other.sqlite"))

    def test_versions_are_listed_named_and_restored(self):
        for name in "ABC":
            self.people(name)
            self.document.save()
        last = self.document.versions[-1]
        self.assertEqual((last.generation, last.name, last.is_pinned), (2, None, False))
        self.document.name_version(last, "before")
        self.document.pin_version(last)
        self.assertEqual(self.document.versions[-1][3:], ("before", True))
        self.document.export_version(1, self.folder / "One.folio")
        with folio.open(self.folder / "One.folio") as one:
            self.assertEqual(len(one["Person"]), 1)
        with folio.open(self.path, mode="read", version=2) as two:
            self.assertEqual(len(two["Person"]), 2)
        self.document.restore(1)
        self.assertEqual(len(self.document["Person"]), 1)
        self.document.remove_version(2)
        with self.assertRaises(folio.NotFoundError):
            self.document.restore(2)

    def test_migration_asks(self):
        self.people("A")
        self.document.close("save")
        plans = []

        def refuse(plan):
            plans.append(plan)
            return False

        def fail(plan):
            raise RuntimeError("asked")

        with self.assertRaises(folio.ModelMismatchError):
            folio.open(self.path, model=MODELS, migration=refuse)
        self.assertTrue(plans[0]["steps"])
        with self.assertRaisesRegex(RuntimeError, "asked"):
            folio.open(self.path, model=MODELS, migration=fail)
        with folio.open(self.path, model=MODELS, migration="automatic") as document:
            self.assertIn("Equipment", document)
        folio.migrate(self.path, MODELS)
        with self.assertRaises(folio.UsageError):
            folio.open(self.path, migration="perhaps")

    def test_import_and_export(self):
        self.people("A", "B")
        self.document.export(self.folder / "all.json")
        self.document.export(self.folder / "Person.csv", format="csv", entity="Person")
        exported = json.loads((self.folder / "all.json").read_text())
        self.assertEqual(len(exported["entities"]["Person"]), 2)
        other = folio.create(self.folder / "Other.folio", MODEL)
        self.assertEqual(other.import_file(self.folder / "all.json"), (2, 0, 0))
        self.assertEqual(other.import_file(self.folder / "Person.csv", match="name"), (0, 0, 2))
        with self.assertRaises(folio.UsageError):
            other.import_file(self.folder / "Person.csv", match="age")
        self.assertEqual(len(other["Person"]), 2)
        other.close("discard")

    def test_the_model_is_described(self):
        journey = self.document["Journey"]
        stops = journey.property("stops")
        self.assertTrue(stops.is_to_many and stops.is_ordered and not stops.is_binary)
        self.assertEqual((stops.destination, stops.inverse), ("Stop", "journey"))
        self.assertEqual(self.document["Camp"].superentity.name, "Place")
        self.assertTrue(self.document["Place"].is_abstract)
        self.assertEqual({entity["name"] for entity in self.document.model["entities"]},
                         {entity.name for entity in self.document.entities})

    def test_a_conflict_is_resolved(self):
        self.people("Common")
        self.document.save()
        shutil.copytree(self.path, self.folder / "Theirs.folio")
        with folio.open(self.folder / "Theirs.folio") as theirs:
            theirs["Person"].insert(name="Theirs")
            theirs.save()
        self.people("Mine")
        self.path.rename(self.folder / "Gone.folio")
        (self.folder / "Theirs.folio").rename(self.path)
        self.assertEqual(self.document.check_outside(), "conflict")
        with self.assertRaises(folio.ConflictError):
            self.document.save()
        self.assertEqual(self.document.resolve_conflict("merge-mine")["clashes"], [])
        self.assertEqual({person.name for person in self.document["Person"]}, {"Common", "Mine", "Theirs"})
        self.document.save()


class Events(Case):
    def test_live_results_tell_what_changed(self):
        told = []
        [person] = self.people("B")
        with self.document.watch("Person", lambda changes, results: told.append((changes, len(results), results[0].name)),
                                 "name < %@", "M", sort=["name"]) as live:
            self.assertEqual([found.name for found in live.results], ["B"])
            self.people("A")
            self.assertEqual(told, [])
            self.document.dispatch()
            [(changes, count, first)] = told
            self.assertEqual((changes[0][0], changes[0][2], count, first), ("insert", 0, 2, "A"))
            person.name = "Z"
            self.document.dispatch()
            self.assertEqual((told[1][0][0][:2], told[1][1]), (("delete", 1), 1))
        self.people("AA")
        self.document.dispatch()
        self.assertEqual(len(told), 2)

    def test_an_exception_of_a_handler_is_raised_by_dispatch(self):
        def fail(changes, results):
            raise RuntimeError("handler")

        live = self.document.watch("Person", fail, sort=["name"])
        self.people("A")
        with self.assertRaisesRegex(RuntimeError, "handler"):
            self.document.dispatch()
        live.close()

    def test_an_event_loop_is_told_by_other_threads(self):
        events = collections.Counter()

        async def work():
            loop = asyncio.get_running_loop()
            self.document.set_handler(lambda event, error: events.update([event]))
            self.document.set_dispatcher(lambda: loop.call_soon_threadsafe(self.document.dispatch))
            self.document.set_policy(idle=0.05, minimum_interval=0, maximum_delay=1)
            done = loop.create_future()
            self.people("A")
            self.document.start_save(done.set_result)
            self.assertIsNone(await asyncio.wait_for(done, 20))
            self.people("B")
            for _ in range(400):
                if self.document.info.has_autosaved_work:
                    break
                await asyncio.sleep(0.05)
            self.assertTrue(self.document.info.has_autosaved_work)
            with self.assertRaises(folio.UsageError):
                await asyncio.to_thread(self.document.dispatch)
            self.document.set_dispatcher(None)
            self.document.set_handler(None)
            self.document.stop_policy()

        asyncio.run(work())
        self.assertGreater(events["changed"], 0)

    def test_threads_share_a_document(self):
        failures = []

        def work(number):
            try:
                for index in range(40):
                    person = self.document["Person"].insert(name=f"{number}-{index}")
                    self.assertEqual(self.document["Person"].count("name = %@", person.name), 1)
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=[number]) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])
        self.assertEqual(len(self.document["Person"]), 240)


class Process(Case):
    def test_work_survives_the_end_of_the_process(self):
        self.document.close("discard")
        script = textwrap.dedent("""
            import os, sys, folio
            document = folio.open(sys.argv[1])
            document["Person"].insert(name="Survivor")
            document.autosave()
            os._exit(9)
        """)
        ended = subprocess.run([sys.executable, "-c", script, str(self.path)], timeout=60)
        self.assertEqual(ended.returncode, 9)
        with folio.open(self.path, recovery="keep") as document:
            self.assertEqual([person.name for person in document["Person"]], ["Survivor"])

    def test_a_script_that_closes_nothing_ends_well(self):
        script = "import sys, folio; d = folio.open(sys.argv[1]); p = d['Person'].insert(name='X'); l = d.fetch('Person')"
        self.document.close("discard")
        ended = subprocess.run([sys.executable, "-c", script, str(self.path)], timeout=60, capture_output=True)
        self.assertEqual((ended.returncode, ended.stderr), (0, b""))


class Sequences(Case):
    """An ordered relationship keeps all members, whatever a program does to it that a list allows."""

    def setUp(self):
        super().setUp()
        self.journey = self.document["Journey"].insert(title="South")
        self.stops = [self.document["Stop"].insert(nights=number) for number in range(5)]
        self.journey.stops = self.stops

    def nights(self):
        return [stop.nights for stop in self.journey.stops]

    def tearDown(self):
        self.journey = self.stops = None
        super().tearDown()

    def test_items_are_exchanged_and_rotated(self):
        stops = self.journey.stops
        stops[0], stops[1] = stops[1], stops[0]
        self.assertEqual(self.nights(), [1, 0, 2, 3, 4])
        stops[0], stops[1], stops[2] = stops[1], stops[2], stops[0]
        self.assertEqual(self.nights(), [0, 2, 1, 3, 4])
        stops[-1] = stops[-1]
        self.assertEqual(self.nights(), [0, 2, 1, 3, 4])
        item, at = stops[4], 4
        while at > 0:
            stops[at] = stops[at - 1]
            at -= 1
        stops[0] = item
        self.assertEqual(self.nights(), [4, 0, 2, 1, 3])

    def test_algorithms_for_lists_give_what_they_give_for_lists(self):
        for seed in range(20):
            plain = self.nights()
            random.Random(seed).shuffle(plain)
            random.Random(seed).shuffle(self.journey.stops)
            self.assertEqual(self.nights(), plain)
        self.journey.stops.sort(key=lambda stop: -stop.nights)
        self.assertEqual(self.nights(), [4, 3, 2, 1, 0])
        self.journey.stops.reverse()
        self.assertEqual(self.nights(), [0, 1, 2, 3, 4])
        collections.abc.MutableSequence.reverse(self.journey.stops)
        self.assertEqual(self.nights(), [4, 3, 2, 1, 0])

    def test_slices_are_replaced_in_one_step(self):
        stops = self.journey.stops
        stops[1:3] = [self.stops[2], self.stops[1]]
        self.assertEqual(self.nights(), [0, 2, 1, 3, 4])
        stops[::2] = [stops[4], stops[2], stops[0]]
        self.assertEqual(self.nights(), [4, 2, 1, 3, 0])
        del stops[1:3]
        self.assertEqual(self.nights(), [4, 3, 0])
        self.assertEqual(stops.pop().nights, 0)
        stops.append(self.stops[4])
        self.assertEqual(self.nights(), [3, 4])
        stops += [self.stops[0]]
        self.assertEqual(self.nights(), [3, 4, 0])
        stops.clear()
        self.assertEqual(self.nights(), [])

    def test_what_would_lose_a_member_is_refused_and_changes_nothing(self):
        stops, first = self.journey.stops, self.stops[0]
        with self.assertRaises(ValueError):
            stops[2:4] = [first]
        with self.assertRaises(ValueError):
            stops[::2] = [first]
        with self.assertRaises(ValueError):
            self.journey.stops = [first, self.stops[1], first]
        with self.assertRaises(ValueError):
            stops.remove(self.document["Stop"].insert())
        with self.assertRaises(IndexError):
            stops[9] = first
        with self.assertRaises(TypeError):
            stops[0] = None
        with self.assertRaises(TypeError):
            stops[:] = [None]
        self.assertEqual(self.nights(), [0, 1, 2, 3, 4])
        [person, other] = self.people("A", "B")
        self.journey.members = [person, other, person]
        self.assertEqual(len(self.journey.members), 2)
        with self.assertRaises(TypeError):
            self.journey.members.reverse()
        with self.assertRaises(TypeError):
            self.journey.members[0] = self.journey.members[1]
        self.assertEqual(len(self.journey.members), 2)


class Handles(Case):
    def test_handles_are_not_copied(self):
        [person] = self.people("A")
        for handle in (person, self.document, self.document.fetch("Person"), folio.Progress()):
            for copied in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.assertRaises(TypeError):
                    copied(handle)
        self.assertEqual(len(self.document.fetch("Person")), 1)

    def test_threads_read_one_object_and_one_list(self):
        people = self.people(*[f"Somebody with a long name {number}" for number in range(300)])
        results, person, failures = self.document.fetch("Person", sort=["name"]), people[7], []

        def read():
            try:
                for number in range(300):
                    if person["name"] != "Somebody with a long name 7":
                        failures.append(person["name"])
                    found = [name for [name] in results.rows("name")]
                    if found != sorted(found) or len(found) != 300:
                        failures.append(found)
                    person.read("name", "born")
                    if number % 30 == 0:
                        self.document["Person"].first("name = %@", "nobody")
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=read) for _ in range(4)]
        for thread in threads:
            thread.start()
        for number in range(100):
            people[9].homepage = f"https://example.org/{number}"
            self.document.end_event()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    def test_values_that_are_kept_follow_every_change(self):
        people = self.people("A", "B", "C")
        self.document.save()
        seen = list(self.document.fetch("Person", sort=["name"]))
        self.assertEqual([person.name for person in seen], ["A", "B", "C"])
        people[0].name = "D"
        self.assertEqual([person.name for person in seen], ["D", "B", "C"])
        self.document.undo()
        self.assertEqual([person.name for person in seen], ["A", "B", "C"])
        self.document.redo()
        self.assertEqual(seen[0].name, "D")
        self.document.revert()
        self.assertEqual(seen[0].name, "A")
        seen[1].update(name="E")
        seen[1].refresh()
        self.assertEqual(seen[1]["name"], "B")
        seen[2].delete()
        self.document.save()
        with self.assertRaises(folio.Error):
            seen[2].name
        for number, person in enumerate(self.document.fetch("Person", sort=["name"])):
            person.name = f"{person.name}{number}"
        self.assertEqual([person.name for person in seen[:2]], ["A0", "B1"])

    def test_results_of_a_closed_document_are_an_error(self):
        self.people("A")
        self.document.save()
        results = self.document.fetch("Person")
        person = results[0]
        self.assertEqual(person.name, "A")
        self.document.close()
        for use in (lambda: len(results), lambda: list(results), lambda: results[0], lambda: list(results.rows("name")),
                    lambda: person.name, lambda: person.uri):
            with self.assertRaises(folio.UsageError):
                use()

    def test_results_of_a_handler_are_an_error_afterwards(self):
        kept = []
        with self.document.watch("Person", lambda changes, results: kept.append((results, list(results)))):
            self.people("A")
            self.document.dispatch()
        [(results, [person])] = kept
        self.assertEqual(person.name, "A")
        with self.assertRaises(folio.UsageError):
            len(results)

    def test_a_document_is_freed_with_its_last_reference(self):
        path = self.folder / "Other.folio"
        document = folio.create(path, MODEL)
        person = document["Person"].insert(name="A")
        document.set_handler(lambda event, error: None)
        document.save()
        gc.disable()
        try:
            entity = document["Person"]
            del document, person
            entity.insert(name="B")
            del entity
            with folio.open(path, recovery="discard") as again:
                self.assertEqual(len(again["Person"]), 1)
        finally:
            gc.enable()

    def test_a_failed_insertion_changes_nothing(self):
        self.document.save()
        for items in ({"name": "A", "age": 3}, {"name": 3}, {"badge": "no UUID"}):
            with self.assertRaises(folio.UsageError):
                self.document["Person"].insert(**items)
        self.assertFalse(self.document.has_unsaved_changes)
        self.assertFalse(self.document.can_undo)
        with self.document.without_undo(), self.assertRaises(folio.UsageError):
            self.document["Person"].insert(name=3)
        self.assertEqual(len(self.document["Person"]), 0)

    def test_exceptions_are_the_built_in_ones_too(self):
        [person] = self.people("A")
        existing = self.folder / "Existing.folio"
        folio.create(existing, MODEL).close()
        for expected, use in (
            (FileNotFoundError, lambda: folio.open(self.folder / "None.folio")),
            (FileNotFoundError, lambda: folio.create(self.folder / "New.folio", self.folder / "None.xcdatamodeld")),
            (FileExistsError, lambda: folio.create(existing, MODEL)),
            (KeyError, lambda: person["age"]),
            (KeyError, lambda: self.document.fetch("Nobody")),
            (TypeError, lambda: setattr(person, "name", 3)),
            (ValueError, lambda: setattr(person, "badge", "no UUID")),
            (LookupError, lambda: self.document.object("Person/p99")),
        ):
            with self.assertRaises(expected) as caught:
                use()
            self.assertIsInstance(caught.exception, folio.Error)
            self.assertIn(caught.exception.message, str(caught.exception))

    def test_numbers_are_what_was_set_or_refused(self):
        camp, journey = self.document["Camp"].insert(), self.document["Journey"].insert()
        camp.latitude = 2**53
        self.assertEqual(camp.latitude, 2**53)
        for name, value in (("latitude", 2**53 + 1), ("elevation", 2**24 + 1), ("elevation", 1e300)):
            with self.assertRaises(TypeError):
                camp[name] = value
        camp.elevation = 0.1
        self.assertAlmostEqual(camp.elevation, 0.1, 6)
        self.assertEqual(camp.latitude, 2**53)
        camp.elevation = math.inf
        self.assertEqual(camp.elevation, math.inf)

    def test_a_reference_with_the_smallest_number_names_nothing(self):
        [person] = self.people("A")
        journey = self.document["Journey"].insert(title="South")
        worst = folio.Reference(-(2**63), self.document["Person"].index)
        for use in (
            lambda: self.document.object(worst), lambda: setattr(journey, "leader", worst),
            lambda: setattr(journey, "members", [worst]), lambda: self.document.count("Journey", "leader == %@", worst),
            lambda: self.document.count("Person", "SELF IN %@", [worst]),
            lambda: self.document.object(f"Person/p{-(2**63)}"), lambda: self.document.object(f"Person/p{2**63}"),
        ):
            with self.assertRaises(folio.Error):
                use()

    def test_a_document_that_is_read_refuses_changes_alike(self):
        self.people("A")
        self.document.save()
        self.document.close()
        with folio.open(self.path, mode="read") as document:
            person = document["Person"].first()
            for use in (
                document.save, document.revert, document.autosave, lambda: document.restore(0), person.delete,
                lambda: setattr(person, "name", "B"), lambda: document["Person"].insert(),
            ):
                with self.assertRaises(PermissionError):
                    use()

    def test_a_process_that_was_forked_leaves_the_documents_alone(self):
        [person] = self.people("A")
        self.document.save()
        results = self.document.fetch("Person")
        child = os.fork()
        if child == 0:
            status = 1
            try:
                with contextlib.suppress(folio.UsageError):
                    person["name"]
                    os._exit(2)
                with contextlib.suppress(folio.UsageError):
                    len(results)
                    os._exit(3)
                with contextlib.suppress(folio.UsageError):
                    folio.create(self.folder / "Child.folio", MODEL)
                    os._exit(4)
                self.document.__del__()
                status = 0
            finally:
                os._exit(status)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)
        person.name = "C"
        self.document.save()
        with self.assertRaises(folio.LockedError):
            folio.open(self.path)

    def test_a_script_with_a_dispatcher_ends_well(self):
        script = """
            import gc, sys, time, folio
            document = folio.create(sys.argv[1], sys.argv[2])
            document.set_dispatcher(lambda: (gc.collect(), sum(range(500))))
            document.set_handler(lambda *_: None)
            document.set_policy(idle=0.002, minimum_interval=0.002, maximum_delay=0.005)
            person = document["Person"].insert(name="A")
            end = time.time() + 0.3
            while time.time() < end:
                person.homepage = f"https://example.org/{time.time()}"
                document.end_event()
            """
        for number in range(5):
            done = subprocess.run(
                [sys.executable, "-c", textwrap.dedent(script), str(self.folder / f"{number}.folio"), MODEL], timeout=60,
                capture_output=True)
            self.assertEqual((done.returncode, done.stderr), (0, b""))


if __name__ == "__main__":
    unittest.main()
