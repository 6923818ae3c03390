"""What programs do with documents without being careful."""

import os
import pathlib
import tempfile
import unittest

import folio

MODEL = os.environ["FOLIO_MODELS"] + "#Expeditions"


class HabitTests(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def test_a_member_that_is_put_where_it_is_makes_no_step_of_undo(self):
        with folio.create(self.folder / "Doc.folio", MODEL) as document:
            leader = document["Person"].insert(name="Ada")
            journey = document["Journey"].insert(title="North", year=1900, leader=leader)
            place = document["Camp"].insert(name="Here", code="HERE", capacity=1)
            journey.stops = [document["Stop"].insert(place=place) for _ in range(3)]
            document.save()
            document.clear_undo()
            stops = journey.stops
            stops[1] = stops[1]
            stops[0], stops[2] = stops[0], stops[2]
            journey.stops = list(stops)
            stops[:] = list(stops)
            document.end_event()
            self.assertFalse(document.can_undo)
            self.assertFalse(document.info.has_unsaved_changes)


if __name__ == "__main__":
    unittest.main()
