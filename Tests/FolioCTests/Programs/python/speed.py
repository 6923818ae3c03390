"""Reads six attributes of 100,000 objects, in bulk and one by one, and the same rows by SQLAlchemy's ORM where that is
installed, in turn, each five times; prints the medians, and the time of an attribute that is read again.

    FOLIO_LIBRARY=… FOLIO_MODELS=…/Expeditions.xcdatamodeld PYTHONPATH=Sources/FolioC/python python3 speed.py [COUNT]

For figures that mean something, the library has to be an optimized one: .ci/build-library.
"""

import os
import pathlib
import statistics
import sys
import tempfile
import time

import folio

KEYS = ["name", "code", "latitude", "longitude", "capacity", "isCharted"]


def make(path, count):
    with folio.create(path, os.environ["FOLIO_MODELS"] + "#Expeditions") as document:
        with document.without_undo():
            camps = document["Camp"]
            for number in range(count):
                code = "".join(chr(65 + number // 26**place % 26) for place in (3, 2, 1, 0))
                camp = camps.insert()
                camp["name"], camp["code"] = f"Camp {number}", code
                camp["latitude"], camp["longitude"] = number % 90 + 0.5, number % 180 + 0.25
                camp["capacity"], camp["isCharted"] = number % 500 + 1, number % 2 == 0
        document.save()


def read_folio(path):
    with folio.open(path, mode="read") as document:
        begin = time.perf_counter()
        total = 0
        for name, code, latitude, longitude, capacity, is_charted in document.fetch("Camp").rows(*KEYS):
            total += capacity + is_charted + (latitude > 0) + (longitude > 0) + len(name) + len(code)
        return time.perf_counter() - begin, total


def read_objects(path):
    with folio.open(path, mode="read") as document:
        begin = time.perf_counter()
        total = 0
        for camp in document.fetch("Camp"):
            total += camp.capacity + camp.isCharted + (camp.latitude > 0) + (camp.longitude > 0)
            total += len(camp.name) + len(camp.code)
        return time.perf_counter() - begin, total


def read_again(path):
    """The seconds of one attribute that was read before."""
    with folio.open(path, mode="read") as document:
        camps = list(document.fetch("Camp", limit=10_000))
        for _ in range(2):
            begin = time.perf_counter()
            for camp in camps:
                camp.capacity
            elapsed = time.perf_counter() - begin
        return elapsed / len(camps)


def read_sqlalchemy(path):
    from sqlalchemy import Boolean, Float, Integer, String, create_engine, select
    from sqlalchemy.orm import DeclarativeBase, Session, mapped_column

    class Base(DeclarativeBase):
        pass

    class Camp(Base):
        __tablename__ = "ZPLACE"
        key = mapped_column("Z_PK", Integer, primary_key=True)
        name = mapped_column("ZNAME", String)
        code = mapped_column("ZCODE", String)
        latitude = mapped_column("ZLATITUDE", Float)
        longitude = mapped_column("ZLONGITUDE", Float)
        capacity = mapped_column("ZCAPACITY", Integer)
        is_charted = mapped_column("ZISCHARTED", Boolean)

    [store] = pathlib.Path(path).rglob("store.sqlite")
    engine = create_engine(f"sqlite:///{store}")
    with Session(engine) as session:
        session.execute(select(Camp).limit(1)).all()
        session.expunge_all()
        begin = time.perf_counter()
        total = 0
        for camp in session.scalars(select(Camp)):
            total += camp.capacity + camp.is_charted + (camp.latitude > 0) + (camp.longitude > 0)
            total += len(camp.name) + len(camp.code)
        elapsed = time.perf_counter() - begin
    engine.dispose()
    return elapsed, total


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    readers = {"folio in bulk": read_folio, "folio": read_objects}
    try:
        import sqlalchemy

        readers[f"SQLAlchemy {sqlalchemy.__version__}"] = read_sqlalchemy
    except ImportError:
        print("SQLAlchemy is not installed")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "Speed.folio")
        make(path, count)
        times = {name: [] for name in readers}
        totals = set()
        for _ in range(5):
            for name, read in readers.items():
                elapsed, total = read(path)
                times[name].append(elapsed)
                totals.add(total)
        assert len(totals) == 1, totals
        medians = {name: statistics.median(found) for name, found in times.items()}
        print(f"an attribute that was read before: {min(read_again(path) for _ in range(5)) * 1e6:.2f} µs")
        for name, median in medians.items():
            print(f"{name}: {count} objects, {len(KEYS)} attributes: {median * 1000:.0f} ms, {median / medians['folio']:.1f}")


if __name__ == "__main__":
    main()
