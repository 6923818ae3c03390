import Coding
import Foundation
import RowMemory
import Schema
import Storage

/// Creates rows from the objects of an XML store. References may refer to later objects, so they
/// are resolved at the end.
struct XMLObjectLoader {
    private struct PendingReference {
        let row: Row
        let slot: RowSlot
        let destination: Int
        let number: Int64
    }

    private struct PendingList {
        let relation: Int
        let owner: Row
        let numbers: [Int64]
    }

    private let names: XMLStoreNames
    private let shape: TableShape
    private let numbering: XMLStoreNumbering
    private var fillers: [RowFiller]
    private var byNumber: [Int64: Row] = [:]
    private var references: [PendingReference] = []
    private var lists: [PendingList] = []
    /// What the model does not know is passed over, and noted.
    private let ignoresUnknown: Bool
    private(set) var unknown: Set<String> = []
    /// The numbers of objects that were passed over.
    private var passedOver: Set<Int64> = []

    init(_ names: XMLStoreNames, numbering: XMLStoreNumbering, ignoringUnknown ignoresUnknown: Bool) {
        self.names = names
        self.numbering = numbering
        self.ignoresUnknown = ignoresUnknown
        shape = names.shape
        fillers = shape.layouts.map { RowFiller($0) }
    }

    // MARK: Objects

    /// Reads an object whose start tag was just read.
    mutating func read(_ attributes: [XMLAttribute], from reader: inout XMLReader) throws {
        guard let type = attributes["type"], let id = attributes["id"] else {
            throw damaged("An object has no type or no id", reader)
        }
        guard let entityIndex = names.entityIndex(named: type) else {
            if ignoresUnknown {
                unknown.insert(type)
                if let number = Self.number(id[...]) { passedOver.insert(number) }
                _ = try reader.rest(of: "object", [])
                return
            }
            throw StorageError(
                .incompatibleModel,
                "The store has objects of an entity \(type.prefix(100)) that the model does not know", entities: [type])
        }
        guard let number = Self.number(id[...]), let key = numbering.key(number, entityIndex: entityIndex) else {
            throw damaged("“\(id.prefix(40))” is no object's id", reader)
        }
        let row = fillers[entityIndex].append(key: key, version: 1)
        guard byNumber.updateValue(row, forKey: number) == nil else {
            throw damaged("Two objects have the id \(id)", reader)
        }

        var named: Set<String> = []
        func checkNotNamedBefore(_ attributes: [XMLAttribute]) throws {
            guard let name = attributes["name"], !named.insert(name.lowercased()).inserted else { return }
            throw damaged("The object \(id) has “\(name.prefix(100))” twice", reader)
        }
        while let event = try reader.next() {
            switch event {
            case .text: continue
            case .end: return
            case .start("attribute", let attributes):
                try checkNotNamedBefore(attributes)
                let text = try reader.textOfElement()
                try read(attribute: attributes, text, into: row, id, &reader)
            case .start("relationship", let attributes):
                try checkNotNamedBefore(attributes)
                _ = try reader.textOfElement()
                try read(relationship: attributes, into: row, id, &reader)
            case .start(let name, _): throw damaged("An object has no element “\(name.prefix(100))”", reader)
            }
        }
    }

    private mutating func target(
        _ attributes: [XMLAttribute], isRelationship: Bool, _ row: Row, _ reader: borrowing XMLReader
    ) throws -> XMLStoreNames.Target {
        guard let name = attributes["name"] else { throw damaged("A property has no name", reader) }
        let target = names.target(name, entityIndex: row.entityIndex)
        let entity = shape.model.entities[row.entityIndex].name
        if ignoresUnknown, target?.fits(isRelationship: isRelationship) != true {
            unknown.insert("\(entity).\(name)")
            return .ignored
        }
        guard let target else {
            throw StorageError(
                .incompatibleModel,
                "The store has a property \(entity).\(name.prefix(100)) that the model does not know",
                entities: [entity])
        }
        return target
    }

    private mutating func read(
        attribute attributes: [XMLAttribute], _ content: String, into row: Row, _ id: String, _ reader: inout XMLReader
    ) throws {
        let target = try target(attributes, isRelationship: false, row, reader)
        func value(_ attribute: AttributeDescription) throws -> PropertyValue {
            var text = content
            if attributes[XMLStoreFormat.ValueType.encoding] == XMLStoreFormat.ValueType.base64,
                let data = Data(base64Encoded: text)
            {
                text = String(decoding: data, as: UTF8.self)
            }
            guard let value = XMLValueText.value(text, attribute) else {
                throw damaged(
                    "“\(text.prefix(40))” is no \(attribute.type.name) for \(shape.model.entities[row.entityIndex].name).\(attribute.name) of \(id)",
                    reader)
            }
            return value
        }
        switch target {
        case .attribute(let slot, let attribute):
            if slot.kind == .large, attributes["type"] == XMLStoreFormat.ValueType.missing {
                row.setLarge(.missing(content), slot)
            } else {
                _ = row.setValue(try value(attribute), slot)
            }
        case .leaf(let slot, let path, let attribute):
            let whole = row.boxed(slot)?.value ?? .null
            row.setBoxed(BoxedValue(whole.setting(try value(attribute), at: path[...])), slot)
        case .ignored: break
        case .toOne, .toMany:
            throw damaged("\(attributes["name"] ?? "") of \(id) is a relationship, not an attribute", reader)
        }
    }

    private mutating func read(
        relationship attributes: [XMLAttribute], into row: Row, _ id: String, _ reader: inout XMLReader
    ) throws {
        let numbers = try (attributes["idrefs"] ?? "").split(whereSeparator: \.isWhitespace).map { part in
            guard let number = Self.number(part) else {
                throw damaged("“\(part.prefix(40))” is no object's id", reader)
            }
            return number
        }
        switch try target(attributes, isRelationship: true, row, reader) {
        case .toOne(let slot, let destination):
            if let number = numbers.first {
                references.append(PendingReference(row: row, slot: slot, destination: destination, number: number))
            }
        case .toMany(let relation):
            if !numbers.isEmpty { lists.append(PendingList(relation: relation, owner: row, numbers: numbers)) }
        case .ignored: break
        case .attribute, .leaf:
            throw damaged("\(attributes["name"] ?? "") of \(id) is an attribute, not a relationship", reader)
        }
    }

    private static func number(_ id: Substring) -> Int64? {
        guard id.first == "z", let number = Int64(id.dropFirst()), number > 0 else { return nil }
        return number
    }

    private func damaged(_ what: String, _ reader: borrowing XMLReader) -> StorageError {
        StorageError(.damaged, "\(what) (line \(reader.line))")
    }

    // MARK: Ending

    mutating func finish(into table: RowTable) throws {
        for pending in references {
            if let target = byNumber[pending.number] {
                try shape.checkReference(to: target.entityIndex, from: pending.slot, of: pending.row.entityIndex)
                pending.row.setReference(
                    ObjectReference(key: target.key, entityIndex: target.entityIndex), pending.slot)
            } else if !passedOver.contains(pending.number),
                let key = numbering.key(pending.number, entityIndex: pending.destination)
            {
                // A reference to a missing object is kept.
                pending.row.setReference(ObjectReference(key: key, entityIndex: pending.destination), pending.slot)
            }
        }
        repairKeys()
        for entity in shape.model.entities where entity.rootIndex == entity.index { load(entity, into: table) }
        for pending in lists {
            let relation = shape.relations[pending.relation]
            let members = pending.numbers.compactMap { number -> ObjectReference? in
                if let row = byNumber[number] { return ObjectReference(key: row.key, entityIndex: row.entityIndex) }
                // The table tells of members that are missing.
                return numbering.key(number, entityIndex: relation.destinationIndex).map {
                    ObjectReference(key: $0, entityIndex: relation.destinationIndex)
                }
            }
            if case .keys = relation.kind, !relation.isOrdered {
                table.noteLost(members, of: pending.owner.key, pending.relation)
            } else {
                table.load(members, of: pending.owner.key, pending.relation)
            }
        }
        for relation in shape.relations.indices { table.completeLists(of: relation) }
        table.numbers.note(max(numbering.nextObjectNumber, 1) - 1, root: 0)
    }

    /// Loads the objects of a hierarchy into the table.
    private func load(_ root: EntityDescription, into table: RowTable) {
        let filled = root.family.lazy.map { fillers[$0].slabs }.filter { !$0.isEmpty }
        if let only = filled.first, filled.count == 1, only.areInOrder { return table.load(only, root: root.index) }
        var rows: [(key: Int64, row: Row)] = []
        for slab in filled.joined() {
            for place in 0..<slab.count { rows.append((slab.cells(at: place).key, slab.row(at: place))) }
        }
        if !rows.isEmpty { table.load(rows.sorted { $0.key < $1.key }, root: root.index) }
    }

    /// If an owner lists a member that names no owner, the member's reference is set, so that both
    /// sides of the relationship agree.
    private func repairKeys() {
        for pending in lists {
            guard case .keys(let property) = shape.relations[pending.relation].kind else { continue }
            let destination = shape.model.entities[shape.relations[pending.relation].destinationIndex]
            let slot = shape.layouts[destination.index].slots[property]
            for member in pending.numbers.lazy.compactMap({ byNumber[$0] })
            where destination.family.contains(member.entityIndex) {
                guard !member.hasValue(slot) else { continue }
                member.setReference(
                    ObjectReference(key: pending.owner.key, entityIndex: pending.owner.entityIndex), slot)
            }
        }
    }
}

extension ContiguousArray<RowSlab> {
    /// Whether the rows are in ascending order of their keys.
    fileprivate var areInOrder: Bool {
        var last = Int64.min
        return allSatisfy { slab in
            (0..<slab.count).allSatisfy { place in
                defer { last = slab.cells(at: place).key }
                return slab.cells(at: place).key > last
            }
        }
    }
}

extension [XMLAttribute] {
    /// The value of an attribute; nil if there is no attribute of this name.
    fileprivate subscript(name: String) -> String? { first { $0.name == name }?.value }
}
