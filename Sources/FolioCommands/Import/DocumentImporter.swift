import Folio
import Foundation

/// Makes objects of the records of an import file, in the context of a document that is being edited.
struct DocumentImporter {
    private let context: ManagedObjectContext
    private let store: StoreIdentity
    private let console: Console
    /// The file, for messages.
    private let path: String
    /// The new objects by the names that they had, `Entity/p7`.
    private var objects: [String: ManagedObject] = [:]
    /// A value that an export could not give, as its file was missing.
    struct MissingValue {
        let object: ManagedObject
        let key: String
        let fileName: String
    }

    private(set) var missing: [MissingValue] = []
    /// What was read and what was made of it.
    private(set) var created: [(record: ImportRecord, object: ManagedObject)] = []

    init(_ context: ManagedObjectContext, store: StoreIdentity, path: String, _ console: Console) {
        self.path = path
        self.context = context
        self.store = store
        self.console = console
    }

    /// Makes all objects, then links them. What is wrong in the file is malformed data, with its place.
    mutating func run(_ file: ImportFile) throws {
        for name in file.entityNames {
            try placing(name) { importer in
                let entity = try EntityLookup.entity(named: name, in: importer.store.model)
                // The others are looked up with the objects, which may be of sub-entities with more of them.
                guard file.records.isEmpty else { return }
                for column in file.columns.first == "id" ? file.columns[1...] : file.columns[...] { _ = try EntityLookup.property(named: column, of: entity) }
            }
        }
        let records = file.records
        let progress = Progress(total: records.count * 2, of: "steps", console)
        defer { progress.finish() }
        for record in records {
            try console.interruption.check()
            try placing(record.place) { try $0.create(record) }
            progress.advance()
        }
        for (record, object) in created {
            try console.interruption.check()
            try placing(record.place) { try $0.link(object, record) }
            progress.advance()
        }
    }

    private mutating func placing(_ place: String, _ body: (inout DocumentImporter) throws -> Void) throws {
        do {
            try body(&self)
        } catch {
            var failure = CommandError(mapping: error)
            if failure.exit == .usage || failure.exit == .notFound { failure.exit = .malformed }
            failure.why = "\(place): \(failure.why)"
            failure.path = failure.path ?? path
            throw failure
        }
    }

    private mutating func create(_ record: ImportRecord) throws {
        let entity = try EntityLookup.entity(named: record.entityName, in: store.model)
        let object = try context.insert(entity)
        created.append((record, object))
        if let id = record.id {
            let name = ImportRecord.shortName(id)
            guard objects.updateValue(object, forKey: name) == nil else { throw CommandError.malformed("the object \(name) occurs twice") }
        }
        for (key, value) in record.values {
            let property = try EntityLookup.property(named: key, of: entity)
            guard let attribute = property.attribute else { continue }
            if case .json(.object(let members)) = value, let name = members["$missing"]?.string {
                missing.append(MissingValue(object: object, key: key, fileName: name))
                // A mandatory value can't be nil, and the object is worth more than the value that is gone.
                try object.setPropertyValue(attribute.isOptional ? .null : .data(Data()), forKey: key)
                continue
            }
            try object.setPropertyValue(try self.value(value, for: attribute), forKey: key)
        }
    }

    private func value(_ value: ImportRecord.Value, for attribute: AttributeDescription) throws -> PropertyValue {
        switch value {
        case .json(let json): return try ValueParser.value(json, for: attribute, in: store.model)
        case .text(nil): return .null
        case .text(let text?):
            // Composites stand in CSV as JSON.
            if attribute.type == .composite { return try ValueParser.value(try JSONReader.value(of: text), for: attribute, in: store.model) }
            return try ValueParser.value(text, for: attribute)
        }
    }

    private func link(_ object: ManagedObject, _ record: ImportRecord) throws {
        let entity = object.entity
        for (key, value) in record.values.sorted(by: { $0.key < $1.key }) {
            guard let property = entity.property(named: key), property.relationship != nil else { continue }
            let targets = try names(value, key).map { try target($0, property) }
            guard property.isToMany else {
                guard targets.count <= 1 else { throw CommandError.malformed("\(key) is to-one, but several objects stand there") }
                // Nothing here is no contradiction of what the other end says: a new object has no other links than those.
                guard let target = targets.first else { continue }
                try object.setPropertyValue(.object(target.objectID), forKey: key)
                continue
            }
            // What other ends linked stays: of two sides that say different things neither unlinks anything.
            let members = try object.propertyValue(forKey: key)
            guard case .list(let linked) = members else { continue }
            let wanted = targets.map { PropertyValue.object($0.objectID) }
            let isWanted = Set(wanted)
            let merged = wanted + linked.filter { !isWanted.contains($0) }
            if merged.count > linked.count || (property.relationship?.isOrdered == true && merged != linked) {
                try object.setPropertyValue(.list(merged), forKey: key)
            }
        }
    }

    private func names(_ value: ImportRecord.Value, _ key: String) throws -> [String] {
        func name(_ json: JSONValue) throws -> String {
            guard let name = json.string else { throw CommandError.malformed("\(key): expected the name of an object, found \(json.kind)") }
            return name
        }
        switch value {
        case .text(let text): return text.map { $0.split(separator: " ").map(String.init) } ?? []
        case .json(.null): return []
        case .json(.array(let elements)): return try elements.map(name)
        case .json(let json): return [try name(json)]
        }
    }

    /// A new object, or one that the document has already.
    private func target(_ name: String, _ property: Property) throws -> ManagedObject {
        if let object = objects[ImportRecord.shortName(name)] { return object }
        if let id = try? ObjectName.id(name, in: store) {
            do { return try context.existingObject(with: id) } catch let error as GraphError where error.code == .objectNotFound {}
        }
        throw CommandError.malformed("\(property.name): \(name) is neither in the file nor in the document")
    }

    /// Gives the new objects the numbers that they had, for a document that was empty.
    func keepNumbers() throws {
        var numbers: [(ManagedObject, Int64)] = []
        for (record, object) in created {
            guard let number = record.number else { return }
            numbers.append((object, number))
        }
        try context.givePermanentNumbers(numbers)
    }
}
