"""Folio's binary store, by BinaryStoreFormat.md alone."""
import decimal, plistlib, struct, uuid, zlib
from core_data_sqlite import Date, Float32, Missing, demand

MAGIC = b"\x89FOLIO\r\n"
FORMATS = {1: "q", 2: "B", 3: "d", 4: "f", 5: "d"}


class Reader:
    def __init__(self, data):
        self.data, self.place = data, 0

    def take(self, count):
        demand(self.place + count <= len(self.data), "it ends too early")
        self.place += count
        return self.data[self.place - count:self.place]

    def numbers(self, code, count):
        return struct.unpack(f"<{count}{code}", self.take(count * struct.calcsize("<" + code)))

    def number(self, code):
        return self.numbers(code, 1)[0]

    def text(self):
        return self.take(self.number("I")).decode()

    def boxed(self):
        kind = self.number("B")
        if kind == 0:
            return None
        if kind in (1, 2, 3, 4, 6):
            value = self.number(" qBdf d"[kind])
            return {1: int, 2: bool, 3: float, 4: Float32, 6: Date}[kind](value)
        if kind in (5, 7, 10):
            text = self.text()
            return decimal.Decimal(text) if kind == 5 else text
        if kind == 8:
            return self.take(self.number("Q"))
        if kind == 9:
            return uuid.UUID(bytes=self.take(16))
        if kind == 11:
            return {self.text(): self.boxed() for _ in range(self.number("I"))}
        demand(kind == 12, "a boxed value of an unknown kind")
        return [self.boxed() for _ in range(self.number("I"))]


class BinaryStore:
    def __init__(self, path):
        with open(path, "rb") as file:
            data = file.read()
        magic, version, count, length, store, _, check = struct.unpack("<8sIIQ16sII", data[:48])
        demand(magic == MAGIC and version == 1, "no binary store of version 1")
        end = 48 + 32 * count
        demand(length == len(data) and check == zlib.crc32(data[:44] + data[48:end]), "a damaged header")
        self.uuid, self.sections = str(uuid.UUID(bytes=store)).upper(), []
        for entry in range(count):
            kind, _, offset, length, check, _ = struct.unpack_from("<IIQQII", data, 48 + 32 * entry)
            section = data[offset:offset + length]
            demand(offset == end and zlib.crc32(section) == check, "a damaged section")
            self.sections.append((kind, section))
            end += length
        demand(end == len(data), "something after the last section")
        self.metadata = plistlib.loads(self.section(1))
        self.read_directory(Reader(self.section(3)))
        self.read_model()
        self.rows, self.numbers = {name: {} for name, _ in self.entities}, {name: [] for name, _ in self.entities}
        for kind, section in self.sections:
            if kind == 4:
                self.read_rows(Reader(section))
        self.lists = {}
        for kind, section in self.sections:
            if kind == 5:
                self.read_members(Reader(section))

    def section(self, wanted):
        return next(section for kind, section in self.sections if kind == wanted)

    def read_directory(self, reader):
        self.entities = []
        for _ in range(reader.number("I")):
            name, _ = reader.text(), reader.number("q")
            self.entities.append((name, [(reader.text(), reader.number("B")) for _ in range(reader.number("I"))]))

    def read_model(self):
        """The super-entities, and of each relationship the destination and the inverse."""
        self.relationships, self.parents, self.abstract = {}, {}, set()
        model = self.section(2)
        if not model:
            return
        objects = plistlib.loads(zlib.decompress(model, -15))["$objects"]

        def follow(item, key):
            value = item.get(key)
            return objects[value.data] if isinstance(value, plistlib.UID) else value
        for item in objects:
            if isinstance(item, dict) and "NSEntityName" in item:
                name, parent = follow(item, "NSEntityName"), follow(item, "NSSuperentity")
                self.parents[name] = parent if parent == "$null" else follow(parent, "NSEntityName")
                self.abstract |= {name} if item.get("NSIsAbstract") else set()
            if isinstance(item, dict) and "_NSDestinationEntityName" in item:
                entity = follow(follow(item, "NSEntity"), "NSEntityName")
                self.relationships[entity, follow(item, "NSPropertyName")] = (
                    follow(item, "_NSDestinationEntityName"), follow(item, "_NSInverseRelationshipName"),
                    item.get("NSMaxCount"))

    # MARK: Sections

    def read_rows(self, reader):
        name, properties = self.entities[reader.number("I")]
        columns, count = reader.number("I"), reader.number("Q")
        self.numbers[name] = keys = reader.numbers("q", count)
        reader.numbers("q", count)
        for _ in range(columns):
            (key, kind), is_complete = properties[reader.number("I")], reader.number("B")
            column = Reader(reader.take(reader.number("Q")))
            present = keys
            if not is_complete:
                bits = column.take((count + 7) // 8)
                present = [row for place, row in enumerate(keys) if bits[place // 8] >> place % 8 & 1]
            self.rows[name][key] = dict(zip(present, self.values(column, kind, len(present))))
            demand(column.place == len(column.data), "something after the values of a column")
        demand(reader.place == len(reader.data), "something after the last column")

    def values(self, column, kind, count):
        if kind in FORMATS:
            convert = {1: int, 2: bool, 3: float, 4: Float32, 5: Date}[kind]
            return [convert(number) for number in column.numbers(FORMATS[kind], count)]
        if kind == 8:
            return [uuid.UUID(bytes=column.take(16)) for _ in range(count)]
        if kind == 13:
            keys, places = column.numbers("q", count), column.numbers("I", count)
            return [self.uri(self.entities[place][0], key) for key, place in zip(keys, places)]
        lengths, values = column.numbers("Q", count), []
        for length in lengths:
            data = column.take(length & (1 << 63) - 1)
            if kind in (6, 7):
                values.append(data.decode())
            elif kind == 9:
                values.append(decimal.Decimal(data.decode()))
            elif kind == 12:
                values.append(Reader(data).boxed())
            else:
                values.append(Missing(data.decode()) if length >> 63 else data)
        return values

    def read_members(self, reader):
        name, properties = self.entities[reader.number("I")]
        key, count = properties[reader.number("I")][0], reader.number("Q")
        owners, counts = reader.numbers("q", count), reader.numbers("I", count)
        keys, places = reader.numbers("q", sum(counts)), reader.numbers("I", sum(counts))
        members = [self.uri(self.entities[place][0], member) for member, place in zip(keys, places)]
        lists = self.lists[name, key] = {}
        for owner, length in zip(owners, counts):
            lists[owner], members = members[:length], members[length:]

    # MARK: Objects

    def uri(self, entity, key):
        return f"x-coredata://{self.uuid}/{entity}/p{key}"

    def counts(self):
        return {name: len(self.numbers[name]) for name, _ in self.entities if name not in self.abstract}

    def line(self, name):
        """The entity and those above it."""
        return [name] + (self.line(self.parents[name]) if self.parents.get(name, "$null") != "$null" else [])

    def members(self, entity, key):
        """The members of a to-many relationship by the URIs of their owners."""
        declaring = next(other for other in self.line(entity) if (other, key) in self.lists
                         or self.line(other)[-1] == other or (other, key) in self.relationships
                         and not any((above, key) in self.relationships for above in self.line(other)[1:]))
        if (declaring, key) in self.lists:
            lists = self.lists[declaring, key]
            return {self.uri(entity, owner): lists[owner] for owner in self.numbers[entity] if owner in lists}
        destination, inverse, _ = self.relationships[declaring, key]
        result = {}
        for other, _ in self.entities:
            if not inverse or destination not in self.line(other):
                continue
            for member, target in self.rows[other].get(inverse, {}).items():
                result.setdefault(target, []).append(self.uri(other, member))
            for above in self.line(other):
                for owner in self.numbers[other]:
                    for target in self.lists.get((above, inverse), {}).get(owner, []):
                        result.setdefault(target, []).append(self.uri(other, owner))
        return result

    def objects(self):
        result = {}
        for name, properties in self.entities:
            if name in self.abstract:
                continue
            rows = [(key, {"id": self.uri(name, key), "attributes": {}, "relationships": {}})
                    for key in self.numbers[name]]
            for key, kind in properties:
                members = self.members(name, key) if kind == 14 else {}
                for number, row in rows:
                    if kind == 14:
                        row["relationships"][key] = members.get(row["id"], [])
                    else:
                        part = "relationships" if kind == 13 else "attributes"
                        row[part][key] = self.rows[name].get(key, {}).get(number)
            result[name] = [row for _, row in rows]
        return result
