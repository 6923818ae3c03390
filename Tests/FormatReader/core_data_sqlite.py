"""Core Data's SQLite store, by CoreDataSQLite.md alone."""
import base64, decimal, hashlib, plistlib, re, sqlite3, struct, uuid
import xml.etree.ElementTree as ElementTree

TYPES = {"Undefined": 0, "Integer 16": 100, "Integer 32": 200, "Integer 64": 300, "Decimal": 400, "Double": 500,
         "Float": 600, "String": 700, "Boolean": 800, "Date": 900, "Binary": 1000, "UUID": 1100, "URI": 1200,
         "Transformable": 1800, "ObjectID": 2000, "Composite": 2100}


class Malformed(Exception):
    pass


class Date(float):
    """Seconds since 2001."""


class Float32(float):
    pass


class Missing(str):
    """The name of a large value that is not there."""


def demand(condition, reason):
    if not condition:
        raise Malformed(reason)


def by_utf16(name):
    return name.encode("utf-16-be")


# MARK: The model

class Property:
    def __init__(self, element):
        self.element, self.name, self.is_relationship = element, element.get("name"), element.tag == "relationship"
        self.type = element.get("attributeType", "Undefined")
        self.is_to_many = self.is_relationship and (self.flag("toMany") or element.get("maxCount") != "1")

    def flag(self, name):
        return self.element.get(name) in ("YES", "true")

    @property
    def has_prefix(self):
        return self.type in ("Binary", "Transformable") and self.flag("allowsExternalBinaryDataStorage")

    def hash(self):
        modifier = self.element.get("versionHashModifier", "").encode()
        flags = self.flag("optional") + 2 * self.flag("transient")
        data = hashlib.sha256(self.name.encode() + struct.pack("<H", flags) + modifier).digest()
        if not self.is_relationship:
            data += struct.pack("<i", TYPES[self.type]) + b"\1" * self.flag("allowsExternalBinaryDataStorage")
            data += b"\1" * self.flag("preserveAfterDeletion")
        else:
            data += (self.element.get("destinationEntity", "") + self.element.get("inverseName", "")).encode()
            data += struct.pack("<ii", int(self.element.get("maxCount", 0)), int(self.element.get("minCount", 0)))
            data += b"\1\0" * self.flag("ordered")
        return hashlib.sha256(data).digest()


class Entity:
    def __init__(self, element):
        self.element, self.name, self.parent = element, element.get("name"), element.get("parentEntity")
        self.is_abstract = element.get("isAbstract") in ("YES", "true")
        own = [Property(child) for child in element if child.tag in ("attribute", "relationship")]
        self.own = {property.name: property for property in sorted(own, key=lambda property: by_utf16(property.name))}
        self.storage = {}  # By property: how it is read.


class Model:
    def __init__(self, contents):
        root = ElementTree.fromstring(contents)
        self.entities = {child.get("name"): Entity(child) for child in root.findall("entity")}
        self.composites = {child.get("name"): [Property(leaf) for leaf in child.findall("attribute")]
                           for child in root.findall("composite")}

    def line(self, name):
        """The entity and those above it, the root first."""
        entity = self.entities[name]
        return (self.line(entity.parent) if entity.parent else []) + [entity]

    def family(self, name):
        return [other for other in self.entities if self.entities[name] in self.line(other)]

    def properties(self, name):
        return {key: value for entity in self.line(name) for key, value in entity.own.items()}

    def declaring(self, entity, key):
        return next(other for other in self.line(entity) if key in other.own)

    def inverse(self, relationship):
        """The entity that declares the inverse, and the inverse."""
        key, destination = relationship.element.get("inverseName"), relationship.element.get("destinationEntity")
        if not key:
            return None, None
        entity = self.declaring(destination, key)
        return entity, entity.own[key]

    def hash(self, name):
        entity = self.entities[name]
        properties = self.properties(name)
        data = name.encode() + bytes([entity.is_abstract]) + (self.hash(entity.parent) if entity.parent else b"")
        for key in sorted(properties, key=by_utf16):
            if not properties[key].flag("transient"):
                data += properties[key].hash()
        data += entity.element.get("versionHashModifier", "").encode()
        for constraint in entity.element.iter("uniquenessConstraint"):
            data += ".".join(child.get("value") for child in constraint.findall("constraint")).encode()
        return hashlib.sha256(data).digest()

    def hashes(self):
        return {name: self.hash(name) for name in self.entities}


def digest(hashes):
    data = b"".join(name.encode() + hashes[name] for name in sorted(hashes, key=by_utf16))
    return base64.b64encode(hashlib.sha512(data).digest()).decode()


# MARK: The store

class Store:
    """A database, read with a model that fits it. `large` answers the value of a name, or None; URIs have `shown_uuid`.
    """

    def __init__(self, path, models, large, shown_uuid=None):
        self.connection = sqlite3.connect(path)
        self.connection.text_factory = lambda data: data.decode("utf-8", "replace")
        self.uuid, plist = self.connection.execute("SELECT Z_UUID, Z_PLIST FROM Z_METADATA").fetchone()
        self.metadata, self.large, self.shown_uuid = plistlib.loads(plist), large, (shown_uuid or self.uuid).upper()
        self.marker = {key: value for key, value in self.metadata.items() if key.startswith("Folio")}
        self.hashes = self.metadata["NSStoreModelVersionHashes"]
        self.model = next((model for model in models if model.hashes() == self.hashes), None)
        demand(self.model, "no model fits the store")
        demand(digest(self.hashes) == self.metadata["NSStoreModelVersionHashesDigest"], "another digest of the hashes")
        self.numbers = {name: number for number, name in self.query("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY")}
        for entity in self.model.entities.values():
            if entity.name not in self.numbers and entity.element.get("elementID") in self.numbers:
                self.numbers[entity.name] = self.numbers[entity.element.get("elementID")]
        self.names = {self.numbers[name]: name for name in self.model.entities if name in self.numbers}
        self.tables = {name.upper(): {row[1].upper() for row in self.query(f'PRAGMA table_info("{name}")')}
                       for name, in self.query("SELECT name FROM sqlite_master WHERE type = 'table'")}
        self.rows = {}
        self.place_properties()

    def query(self, text, *values):
        return self.connection.execute(text, values).fetchall()

    # MARK: Names of columns

    def table(self, entity):
        return "Z" + self.model.line(entity)[0].name.upper()

    def place_properties(self):
        self.used = {}
        stored = [self.names[number] for number in sorted(self.names)]
        for name in stored:
            own = [value for value in self.model.entities[name].own.values() if not value.flag("transient")]
            for attribute in (value for value in own if not value.is_relationship):
                self.model.entities[name].storage[attribute.name] = self.place_attribute(name, attribute)
            for relationship in (value for value in own if value.is_relationship and not value.is_to_many):
                if relationship.element.get("destinationEntity") in self.numbers:
                    self.model.entities[name].storage[relationship.name] = self.place_to_one(name, relationship)
        for name in stored:
            for relationship in self.model.entities[name].own.values():
                if relationship.is_to_many and not relationship.flag("transient") and \
                        relationship.element.get("destinationEntity") in self.numbers:
                    self.model.entities[name].storage[relationship.name] = self.place_to_many(name, relationship)

    def claim(self, entity, *candidates):
        table = self.table(entity)
        used = self.used.setdefault(table, {"Z_PK", "Z_ENT", "Z_OPT"})
        for base in (candidate.upper() for candidate in candidates if candidate):
            suffix = 0
            while base + (str(suffix) if suffix else "") in used:
                suffix += 1
            name = base + (str(suffix) if suffix else "")
            if name in self.tables[table]:
                used.add(name)
                return name
        return None

    def place_attribute(self, entity, attribute, path=()):
        path += (attribute.name,)
        if attribute.type == "Composite":
            leaves = self.model.composites[attribute.element.get("composite")]
            return {leaf.name: self.place_attribute(entity, leaf, path)
                    for leaf in sorted(leaves, key=lambda leaf: by_utf16(leaf.name))}
        if attribute.type in ("Undefined", "ObjectID"):
            return None
        names = [attribute.name, attribute.element.get("elementID", "")] if len(path) == 1 else \
            [attribute.name, "_".join(path), "".join(path)]
        column = self.claim(entity, *("Z" + name for name in names if name))
        demand(column, f"no column for {entity}.{'.'.join(path)}")
        return column, attribute

    def place_to_one(self, entity, relationship):
        former, destination = relationship.element.get("elementID"), relationship.element.get("destinationEntity")
        key = self.claim(entity, "Z" + relationship.name, former and "Z" + former)
        demand(key, f"no column for {entity}.{relationship.name}")
        has_entity = len(self.model.family(destination)) > 1
        of_entity = self.claim(entity, f"Z{self.numbers[destination]}_{key[1:]}") if has_entity else None
        inverse = self.model.inverse(relationship)[1]
        order = self.claim(entity, "Z_FOK_" + key[1:]) if inverse and inverse.flag("ordered") else None
        return {"table": self.table(entity), "key": key, "entity": of_entity, "order": order}

    def place_to_many(self, entity, relationship):
        destination = relationship.element.get("destinationEntity")
        other, inverse = self.model.inverse(relationship)
        if not inverse:
            name = f"{self.numbers[entity]}{relationship.name}"
            key = self.claim(destination, "Z" + name, "Z_" + name)
            demand(key, f"no column for {entity}.{relationship.name}")
            order = self.claim(destination, "Z_FOK_" + key[1:]) if relationship.flag("ordered") else None
            return {"table": self.table(destination), "key": key, "entity": None, "order": order}
        if not inverse.is_to_many:
            return other.storage[inverse.name]
        mine, theirs = (self.numbers[entity], relationship), (self.numbers[other.name], inverse)
        sides = sorted([mine, theirs], key=lambda side: (side[0], side[1].name))
        tables = [f"Z_{number}{side.name}".upper() for number, side in sides]
        tables = tables[::-1] if mine[0] == theirs[0] else tables[:1]
        table = next((name for name in tables if name in self.tables), None)
        demand(table, f"no join table for {entity}.{relationship.name}")
        keys = sorted(name for name in self.tables[table] if not name.startswith("Z_FOK_"))
        demand(len(keys) == 2, f"{len(keys)} columns for {entity}.{relationship.name}")
        ends = [f"Z_{self.numbers[entity]}{inverse.name}".upper(), f"Z_{self.numbers[other.name]}{relationship.name}".upper()]
        if relationship is inverse:
            ends[1] = "REFLEXIVE"

        def fit(column, name):
            return 2 if column == name else 1 if re.fullmatch(re.escape(name) + "[0-9]+", column) else 0
        owner, member = max((keys, keys[::-1]), key=lambda pair: sum(map(fit, pair, ends)))
        demand(fit(owner, ends[0]) or fit(member, ends[1]), f"no column for {entity}.{relationship.name}")
        order = "Z_FOK_" + re.sub("^Z_", "", member) if relationship.flag("ordered") else None
        return {"join": table, "owner": owner, "member": member, "order": order}

    # MARK: Objects

    def counts(self):
        counts = {name: 0 for name, entity in self.model.entities.items() if not entity.is_abstract}
        for table in {self.table(name) for name in self.names.values()}:
            for number, count in self.query(f'SELECT Z_ENT, count(*) FROM "{table}" GROUP BY Z_ENT'):
                counts[self.names[number]] = count
        return counts

    def content_names(self):
        """The names of all large values that rows refer to."""
        names = set()
        for entity in self.model.entities.values():
            for storage in entity.storage.values():
                if isinstance(storage, tuple) and storage[1].has_prefix:
                    for cell, in self.query(f'SELECT "{storage[0]}" FROM "{self.table(entity.name)}" '
                                            f'WHERE substr("{storage[0]}", 1, 1) = x\'02\''):
                        names.add(cell[1:37].decode().upper())
        return names

    def uri(self, number, key):
        return f"x-coredata://{self.shown_uuid}/{self.names[number]}/p{key}"

    def entities_of(self, table):
        """The numbers of the entities of a hierarchy's objects, by their keys."""
        if table not in self.rows:
            self.rows[table] = dict(self.query(f'SELECT Z_PK, Z_ENT FROM "{table}"'))
        return self.rows[table]

    def objects(self):
        """All objects: by entity, a list of those with their URIs, attributes and relationships."""
        result = {}
        for name, entity in self.model.entities.items():
            if entity.is_abstract or name not in self.numbers:
                continue
            rows = {key: {"id": self.uri(self.numbers[name], key), "attributes": {}, "relationships": {}}
                    for key, in self.query(f'SELECT Z_PK FROM "{self.table(name)}" WHERE Z_ENT = ? ORDER BY Z_PK',
                                           self.numbers[name])}
            for owner in self.model.line(name):
                for key, storage in owner.storage.items():
                    part = "relationships" if owner.own[key].is_relationship else "attributes"
                    values = self.members(name, owner.own[key], storage) if owner.own[key].is_to_many else \
                        self.values(name, owner.own[key], storage)
                    for row in rows:
                        rows[row][part][key] = values.get(row, [] if owner.own[key].is_to_many else None)
            result[name] = list(rows.values())
        return result

    def values(self, name, property, storage):
        """The values of one property by the keys of an entity's objects."""
        if storage is None:
            return {}
        if isinstance(storage, tuple):
            return {key: self.value(cell, storage[1]) for key, cell in self.query(
                f'SELECT Z_PK, "{storage[0]}" FROM "{self.table(name)}" WHERE Z_ENT = ?', self.numbers[name])}
        if not property.is_relationship:
            leaves = {leaf: self.values(name, property, place) for leaf, place in storage.items()}
            keys = {key for values in leaves.values() for key, value in values.items() if value is not None}
            return {key: {leaf: values[key] for leaf, values in leaves.items()
                          if values.get(key) is not None} for key in keys}
        destination = property.element.get("destinationEntity")
        table = self.entities_of(self.table(destination))
        return {key: self.uri(table[target], target) for key, target in self.query(
            f'SELECT Z_PK, "{storage["key"]}" FROM "{storage["table"]}" WHERE Z_ENT = ?', self.numbers[name])
            if target in table}

    def members(self, name, relationship, storage):
        destination = self.table(relationship.element.get("destinationEntity"))
        known = self.entities_of(destination)
        if "join" in storage:
            order = f', "{storage["order"]}"' if storage["order"] else ""
            pairs = self.query(f'SELECT "{storage["owner"]}", "{storage["member"]}" FROM "{storage["join"]}" '
                               f'ORDER BY 1{order}, 2')
            if storage["member"] == "REFLEXIVE":
                pairs += [(member, owner) for owner, member in pairs if owner != member]
        else:
            which = f'AND ("{storage["entity"]}" = {self.numbers[name]} OR "{storage["entity"]}" IS NULL)' \
                if storage["entity"] else ""
            order = f', "{storage["order"]}"' if storage["order"] else ""
            pairs = self.query(f'SELECT "{storage["key"]}", Z_PK FROM "{storage["table"]}" '
                               f'WHERE "{storage["key"]}" IS NOT NULL {which} ORDER BY 1{order}, 2')
        result = {}
        for owner, member in pairs:
            if member in known:
                result.setdefault(owner, []).append(self.uri(known[member], member))
        return result

    def value(self, cell, attribute):
        kind = attribute.type
        if cell is None:
            return None
        if kind == "Boolean":
            return cell != 0
        if kind == "Date":
            return Date(cell)
        if kind == "Float":
            return Float32(struct.unpack("<f", struct.pack("<f", cell))[0])
        if kind == "Double":
            return float(cell)
        if kind == "Decimal":
            return decimal.Decimal(repr(cell) if isinstance(cell, float) else cell)
        if kind == "UUID":
            return uuid.UUID(bytes=cell)
        if attribute.has_prefix and cell[:1] == b"\1":
            return cell[1:]
        if attribute.has_prefix and cell[:1] == b"\2":
            name = cell[1:37].decode()
            data = self.large(name)
            return Missing(name) if data is None else data
        return cell
