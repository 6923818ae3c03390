#!/usr/bin/env python3
"""Reads Folio's documents and binary stores without Folio, by three pages of its documentation alone:
DocumentFormat.md here, CoreDataSQLite.md in core_data_sqlite.py, BinaryStoreFormat.md in binary_store.py. It needs
Python's standard library only.

    folio_format.py check PATH                   what the document is, its versions, damage; exit code 1 for damage
    folio_format.py objects PATH [STATE]         all objects as JSON
    folio_format.py compare PATH EXPORT [STATE]  how the objects differ from `folio export`; exit code 1 if they do

STATE is newest (default), saved, autosaved, or the generation of a version.
"""
import base64, datetime, decimal, hashlib, json, os, re, struct, sys, tempfile, uuid, zipfile, zlib
from binary_store import MAGIC, BinaryStore
from core_data_sqlite import Date, Float32, Malformed, Missing, Model, Store, demand, digest

EPOCH = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)
MASK = (1 << 64) - 1


# MARK: Checksums

def mixed(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def page_sum(database):
    size = int.from_bytes(database[16:18], "big")
    size = 65536 if size == 1 else size
    total = 0
    for number, start in enumerate(range(0, len(database), size)):
        page = database[start:start + size]
        total += mixed(mixed((number + 1) * 0x9E3779B97F4A7C15 & MASK ^ len(page)) ^ zlib.crc32(page))
    return f"{total & MASK:x}"


def checked_json(data, opening):
    """The value, and whether its checksum holds; None where it has none."""
    def unique(pairs):
        demand(len(pairs) == len({name for name, _ in pairs}), "a member occurs twice")
        return dict(pairs)
    demand(len(data) <= 1 << 20, "more than 1 MiB of JSON")
    value = json.loads(data, object_pairs_hook=unique)
    if not data.startswith(opening):
        return value, None
    end = len(opening) + 8
    return value, data[len(opening):end] == b"%08x" % zlib.crc32(opening + b"0" * 8 + data[end:])


# MARK: Packages and archives

class Parts:
    """The parts of a package or archive by their paths."""

    def __init__(self, path):
        self.path, self.zip = path, None if os.path.isdir(path) else zipfile.ZipFile(path)

    def names(self):
        if self.zip:
            return [name for name in self.zip.namelist() if not name.endswith("/")]
        return [os.path.relpath(os.path.join(folder, name), self.path)
                for folder, _, names in os.walk(self.path) for name in names]

    def read(self, name):
        try:
            if self.zip:
                return self.zip.read(name)  # Checks the CRC-32.
            with open(os.path.join(self.path, name), "rb") as file:
                return file.read()
        except (KeyError, FileNotFoundError):
            return None


class Document:
    """A package or an archive."""

    def __init__(self, path, scratch):
        self.parts, self.scratch, self.problems, self.opened = Parts(path), scratch, [], 0
        self.form = "archive" if self.parts.zip else "package"
        self.manifest, sound = checked_json(self.parts.read("manifest.json"), b'{\n  "check" : "')
        demand(self.manifest["format"] == "folio-document", "another format")
        demand(self.manifest["minimumReader"] <= 1, "needs a newer reader")
        self.is_trusted = sound or sound is None and "pageSum" not in self.manifest["store"]
        if not self.is_trusted:
            self.problems.append("manifest.json: its checksum differs")
        self.main = self.parts.read("store/store.sqlite")
        self.wal = None if self.parts.zip else self.parts.read("store/store.sqlite-wal") or None
        self.models = {name.split("/")[1][:-len(".xcdatamodel")]: Model(self.parts.read(name)) for name in
                       self.parts.names() if re.fullmatch(r"model/[^./][^/]*\.xcdatamodel/contents", name)}
        self.find_states()
        self.read_index("versions")

    def read_index(self, folder):
        self.folder, data = folder, self.parts.read(f"{folder}/index.json")
        self.index, sound = checked_json(data, b'{"check":"') if data else ({"versions": []}, None)
        demand(self.index.get("format", 1) <= 1, "versions of a newer format")
        if sound is False:
            self.problems.append(f"{folder}/index.json: its checksum differs")

    def find_states(self):
        main = self.open(self.main)
        newest = self.open(self.main, self.wal) if self.wal else main
        if self.wal and not belongs(newest.marker, newest.uuid, main.marker, main.uuid):
            self.problems.append("store/store.sqlite-wal: is not that of the store, ignored")
            self.wal, newest = None, main
        self.main_store, self.newest = main, newest
        marker = newest.marker
        demand(newest.uuid.upper() == self.manifest["uuid"].upper(), "the store of another document")
        demand(int(marker["FolioGeneration"]) >= self.manifest["generation"], "an older store than the manifest's")
        self.is_unsaved = not marker["FolioIsSaved"] or "FolioLastSave" in marker

    def open(self, database, wal=None):
        """A store made of these bytes, in a file of its own: the document itself is not touched."""
        self.opened += 1
        path = os.path.join(self.scratch, f"{self.opened}.sqlite")
        for suffix, data in (("", database), ("-wal", wal)):
            if data is not None:
                with open(path + suffix, "wb") as file:
                    file.write(data)
        return Store(path, self.models.values(), self.large_value, self.manifest["uuid"])

    def store(self, state):
        """The store of a state."""
        if state == "newest" or state == "autosaved" and self.is_unsaved or state == "saved" and not self.is_unsaved:
            return self.newest
        demand(state != "autosaved", "no autosaved work")
        marker, main = self.newest.marker, self.main_store.marker
        if state != "saved":
            same = [row for row in self.index["versions"] if row[1] == int(state)]
            if int(marker["FolioGeneration"]) == int(state):
                return self.newest if marker["FolioIsSaved"] else self.store("saved")
            demand(same, f"no version {state}")
            return self.open(self.rebuild(same[-1]))
        if "FolioLastSave" in marker:
            return self.store(str(int(marker["FolioLastSave"])))
        if main["FolioIsSaved"] and main["FolioGeneration"] == marker["FolioGeneration"]:
            return self.main_store
        return self.open(self.head_state())

    # MARK: Versions

    def head_state(self):
        """The state that the newest delta leads from: the main file, with a part of the WAL where the head says so."""
        mark = self.index["head"].get("wal")
        if not mark or not self.wal or struct.unpack(">II", self.wal[16:24]) != (mark["salt1"], mark["salt2"]):
            return self.main
        size = struct.unpack(">I", self.wal[8:12])[0]
        database, pages = bytearray(self.main), 0
        for frame in range(mark["frames"]):
            start = 32 + frame * (24 + size)
            page, count = struct.unpack(">II", self.wal[start:start + 8])
            pages = count or pages
            database.extend(bytes(max(0, page * size - len(database))))
            database[(page - 1) * size:page * size] = self.wal[start + 24:start + 24 + size]
        return bytes(database[:pages * size])

    def delta(self, row):
        name = f"{self.folder}/{row[0]}.{row[5]}.delta" if row[5] else f"{self.folder}/{row[0]}.delta"
        return Delta(self.parts.read(name), name)

    def starts(self, i):
        """The versions with a base from which version i can be made, nearest first, and the head."""
        rows = self.index["versions"]
        for j in range(i, len(rows)):
            if rows[j][4] & 2:
                yield j
            if not rows[j][4] & 1:
                return
        yield len(rows)

    def rebuild(self, row):
        rows = self.index["versions"]
        i, reasons = rows.index(row), []
        for start in self.starts(i):
            try:
                if start == len(rows):
                    state = self.head_state()
                else:
                    state = self.parts.read(f"{self.folder}/{rows[start][0]}.base")
                    demand(state is not None, f"{self.folder}/{rows[start][0]}.base is missing")
                for newer in range(start - 1, i - 1, -1):
                    state = self.delta(rows[newer]).apply(state)
                demand(len(state) == row[6] and (row[9] is None or page_sum(state) == row[9]), "another sum")
                return state
            except Malformed as error:
                reasons.append(str(error))
        raise Malformed(f"version {row[1]} can't be rebuilt: {', '.join(reasons)}")

    # MARK: What is checked

    def check(self):
        report = {"uuid": self.manifest["uuid"], "form": self.form, "generation": self.manifest["generation"],
                  "state": "autosaved" if self.is_unsaved else "saved", "entities": self.newest.counts()}
        self.check_manifest(report["entities"])
        self.check_files()
        report["conflicts"] = self.check_conflicts()
        report["versions"] = [self.check_version(row) for row in self.index["versions"]]
        self.check_references()
        report["mergeStates"] = self.check_merge_states()
        report["problems"] = self.problems
        return report

    def check_merge_states(self):
        """The generations that an archive keeps for merges; none if they lead up to another state."""
        self.read_index("extra/folio-merge/states")
        head = self.index.get("head")
        if not head or head["generation"] != self.manifest["generation"] or head.get("sum") != page_sum(self.main):
            return []
        for row in self.index["versions"]:
            self.open(self.rebuild(row))
        return [row[1] for row in self.index["versions"]]

    def problem(self, condition, text):
        if condition:
            self.problems.append(text)

    def check_manifest(self, counts):
        manifest, store = self.manifest, self.manifest["store"]
        model = manifest["model"]
        self.problem(digest(self.main_store.hashes) != model["digest"], "the store is of another model")
        self.problem(digest(self.models[model["name"]].hashes()) != model["digest"], "the model is another one")
        if not self.is_trusted:
            return
        data = self.parts.read(f"model/{model['name']}.xcdatamodel/contents")
        self.problem(model.get("checksum", f"{zlib.crc32(data):x}") != f"{zlib.crc32(data):x}", "the model was altered")
        if int(self.main_store.marker["FolioGeneration"]) == manifest["generation"]:
            self.problem(len(self.main) != store["bytes"], "the store has another size")
            counters = [int.from_bytes(self.main[place:place + 4], "big") for place in (24, 92)]
            if "pageSum" in store and (counters[0] != counters[1] or counters[0] == store["changeCounter"]):
                self.problem(page_sum(self.main) != store["pageSum"], "the store was altered")
        if not self.is_unsaved and manifest["entities"]:
            self.problem({n: c for n, c in counts.items() if n in manifest["entities"]} != manifest["entities"],
                         f"other counts: {counts}")

    def check_files(self):
        large = {}
        for name in self.parts.names():
            if match := re.fullmatch(r"content/(..)/([0-9A-F-]{36})", name):
                data = self.parts.read(name)
                digest = str(uuid.UUID(bytes=hashlib.sha256(data).digest()[:16])).upper()
                self.problem(digest != match[2] or digest[:2].lower() != match[1], f"{name}: another digest")
                large[match[2]] = len(data)
        expected = self.manifest["attachments"]
        if self.is_trusted and self.manifest["entities"] and not self.is_unsaved:
            found, expected = [len(large), sum(large.values())], [expected["count"], expected["bytes"]]
            # What only versions refer to stays behind when an archive is packed without them.
            is_complete = self.form == "package" or self.index["versions"]
            self.problem(found != expected if is_complete else found > expected, "other attachments")
        for name, recorded in (self.manifest.get("files") or {} if self.is_trusted else {}).items():
            data = self.parts.read(name) or b""
            self.problem([len(data), f"{zlib.crc32(data):x}"] != [recorded["bytes"], recorded["checksum"]],
                         f"{name}: another checksum")
        if sums := self.parts.read("store/store.sums"):
            magic, version, block, size, whole, check = struct.unpack("<8sIIQII", sums[:32])
            blocks = [zlib.crc32(self.main[start:start + block]) for start in range(0, size, block)]
            demand(magic == b"FolioSum" and version == 1 and check == zlib.crc32(sums[:28]), "store.sums")
            if size == len(self.main) and whole == zlib.crc32(self.main):
                self.problem(struct.pack(f"<{len(blocks)}I", *blocks) != sums[32:], "store.sums: other blocks")
        if self.parts.zip:
            first = self.parts.zip.infolist()[0]
            is_first = first.filename == "mimetype" and not first.compress_type and not first.header_offset
            self.problem(not is_first, "mimetype: not first")

    def check_conflicts(self):
        """The objects and properties of conflicts that a merge left undecided."""
        data = self.newest.marker.get("FolioConflicts")
        if data is None:
            data = self.parts.read("extra/folio-merge/conflicts.json")
        found = json.loads(data) if data else {"format": 1, "conflicts": []}
        demand(found["format"] <= 1, "conflicts of a newer format")
        for conflict in found["conflicts"]:
            self.problem(conflict["kind"] not in ("values", "deleted-changed", "unique", "rule"), "another conflict")
            values = [conflict[side] for side in ("base", "ours", "theirs")] + [{"others": conflict["others"]}]
            self.problem(any(len(value) != 1 for value in values), "a value of a conflict")
        return [".".join(conflict[key] for key in ("object", "property") if key in conflict)
                for conflict in found["conflicts"]]

    def check_version(self, row):
        result = {"number": row[0], "generation": row[1], "pinned": bool(row[4] & 4), "name": row[10]}
        try:
            self.delta(row)
            store = self.open(self.rebuild(row))
            result["entities"] = store.counts()
            # A version may also be one of work that was never saved, or of a time before a copy was made.
            self.problem(int(store.marker["FolioGeneration"]) != row[1], f"version {row[1]}: another generation")
            result["content"] = sorted(store.content_names())
            for name in result["content"]:
                self.problem(self.large_value(name) is None, f"version {row[1]}: lacks content {name}")
        except Malformed as error:
            self.problems.append(str(error))
        return result

    def check_references(self):
        """What the deltas drop and add leads from the names of the saved state to at least those of each version."""
        if not self.index["versions"] or self.is_unsaved or self.problems:
            return
        names = self.newest.content_names()
        for row in reversed(self.index["versions"]):
            delta = self.delta(row)
            if row[4] & 8 or not row[4] & 1 and not delta.dropped | delta.added:
                return
            names = names - delta.added | delta.dropped
            expected = self.open(self.rebuild(row)).content_names()
            self.problem(not names >= expected, f"version {row[1]}: its delta lacks content {sorted(expected - names)}")

    def large_value(self, name):
        return self.parts.read(f"content/{name[:2].lower()}/{name.upper()}")


def belongs(newest, newest_uuid, main, main_uuid):
    if newest_uuid != main_uuid:
        return False
    if newest == main:
        return True
    if not newest["FolioCommitCounter"] > main["FolioCommitCounter"] or \
            newest["FolioGeneration"] < main["FolioGeneration"]:
        return False
    return "FolioJournal" not in newest or newest["FolioJournal"] == main.get("FolioJournal") or \
        (newest["FolioJournalBase"], newest["FolioJournalBaseCommitted"]) == \
        (main["FolioCommitCounter"], main["FolioCommitted"])


class Delta:
    def __init__(self, data, name):
        demand(data is not None and len(data) >= 60, f"{name}: missing or too short")
        (magic, version, self.size, self.newer_size, runs, dropped, added, data_size, data_sum, table_sum,
         check) = struct.unpack("<8sIQQIIIQIII", data[:60])
        demand(magic == b"FOLIODLT" and version == 1 and check == zlib.crc32(data[:56]), f"{name}: bad header")
        self.data, table = data[60:60 + data_size], data[60 + data_size:]
        demand(zlib.crc32(self.data) == data_sum and zlib.crc32(table) == table_sum, f"{name}: another checksum")
        demand(len(table) == 12 * runs + 16 * (dropped + added), f"{name}: another length")
        self.runs = [struct.unpack_from("<QI", table, 12 * run) for run in range(runs)]
        ids = [str(uuid.UUID(bytes=table[place:place + 16])).upper() for place in range(12 * runs, len(table), 16)]
        self.dropped, self.added, self.name = set(ids[:dropped]), set(ids[dropped:]), name

    def apply(self, newer):
        demand(len(newer) == self.newer_size, f"{self.name}: is not for this state")
        older, place, end = bytearray(newer[:self.size].ljust(self.size, b"\0")), 0, 0
        for offset, length in self.runs:
            demand(end <= offset and length > 0 and offset + length <= self.size, f"{self.name}: bad runs")
            older[offset:offset + length] = self.data[place:place + length]
            place, end = place + length, offset + length
        demand(place == len(self.data), f"{self.name}: bad runs")
        return bytes(older)


# MARK: Objects as JSON

def plain(value):
    """A value as JSON has it, spelled as `folio export` does but for dates, which are numbers."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, Missing):
        return {"$missing": str(value)}
    if isinstance(value, (decimal.Decimal, uuid.UUID)):
        return str(value).upper()
    if isinstance(value, float) and abs(value) == float("inf"):
        return "Infinity" if value > 0 else "-Infinity"
    return value


def is_same(mine, exported):
    """Whether a value is that of an export."""
    if isinstance(mine, dict) and isinstance(exported, dict):
        return all(is_same(mine.get(key), exported.get(key)) for key in mine.keys() | exported.keys())
    if isinstance(mine, Date) and isinstance(exported, str):
        return abs((datetime.datetime.fromisoformat(exported) - EPOCH).total_seconds() - mine) < 1e-5
    if isinstance(mine, Float32) and not isinstance(exported, str):
        return exported is not None and struct.pack("<f", mine) == struct.pack("<f", exported)
    if isinstance(mine, decimal.Decimal):
        return exported is not None and decimal.Decimal(exported) == mine
    return plain(mine) == exported


def differences(mine, exported):
    for name in mine.keys() | exported.keys():
        ours, theirs = ({row["id"]: row for row in side.get(name, [])} for side in (mine, exported))
        for uri in ours.keys() ^ theirs.keys():
            yield f"{uri}: only {'here' if uri in ours else 'in the export'}"
        for uri in ours.keys() & theirs.keys():
            for part in ("attributes", "relationships"):
                values, others = ours[uri][part], theirs[uri][part]
                for key in values.keys() | others.keys():
                    value, other = values.get(key), others.get(key)
                    # Members of a relationship that is not ordered come in any order.
                    if not is_same(value, other) and not (part == "relationships" and isinstance(value, list)
                                                          and sorted(value) == sorted(other)):
                        yield f"{uri} {key}: {plain(value)!r:.80} and not {other!r:.80}"


def main(command, path, *arguments):
    with tempfile.TemporaryDirectory() as scratch:
        is_file = os.path.isfile(path)
        start = open(path, "rb").read(8) if is_file else b""
        document = BinaryStore(path) if start == MAGIC else Document(path, scratch)
        if command == "check":
            report = document.check() if isinstance(document, Document) else \
                {"uuid": document.uuid, "form": "binary store", "entities": document.counts(), "problems": []}
            print(json.dumps(report, indent=1))
            return 1 if report["problems"] else 0
        state = arguments[1 if command == "compare" else 0:] or ["newest"]
        objects = (document.store(state[0]) if isinstance(document, Document) else document).objects()
        if command == "objects":
            print(json.dumps(objects, indent=1, default=plain))
            return 0
        demand(command == "compare", "a command that is not known")
        with open(arguments[0], encoding="utf-8") as file:
            found = sorted(differences(objects, json.load(file)["entities"]))
        print("\n".join(found[:20] + [f"{len(found)} differences in {sum(map(len, objects.values()))} objects"]))
        return 1 if found else 0


if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except (Malformed, LookupError, ValueError, struct.error) as error:
        sys.exit(f"{' '.join(sys.argv[2:3])}: {error!r}")
