import Folio

/// Selected keys and key paths of objects as columns. A to-many relationship in a path gives all
/// values.
struct FetchedColumns {
    private let names: [String]
    private let paths: [[String]]
    private let alignsRight: [Bool]
    private let objects: [ManagedObject]
    private let context: ManagedObjectContext
    private let console: Console

    /// - Parameter names: Valid key paths of `entity`.
    init(
        _ names: [String], of objects: [ManagedObject], entity: EntityDescription, _ reader: DocumentReader,
        _ console: Console
    )
        throws
    {
        self.names = names
        self.objects = objects
        self.console = console
        context = reader.context
        paths = names.map { $0.split(separator: ".").map(String.init) }
        alignsRight = try names.map {
            try EntityLookup.attribute(atKeyPath: $0, of: entity, in: reader.model)?.type.isNumeric ?? false
        }
    }

    func write(_ format: String) throws {
        switch format {
        case "json":
            var writer = JSONWriter(console.output)
            writer.beginArray()
            for object in objects { try write(object, to: &writer) }
            writer.endArray()
            console.output.write(0x0A)
        case "jsonl":
            for object in objects {
                var writer = JSONWriter(console.output, style: .compact)
                try write(object, to: &writer)
                console.output.write(0x0A)
            }
        case "csv":
            console.print(CSV.line((namesObjects ? ["id"] : []) + names))
            for object in objects {
                console.print(
                    CSV.line(
                        (namesObjects ? [object.objectID.description] : [])
                            + (try paths.map { try ValueText.field(try value($0, of: object)) })))
            }
        case "lines":
            var writer = LineWriter(console.output)
            for object in objects {
                try console.interruption.check()
                let id = namesObjects ? [(name: "id", text: object.objectID.description)] : []
                writer.object(id + (try cells(object)))
            }
        default:
            var table = Table(headings: names, alignsRight: alignsRight)
            for object in objects { table.append(try cells(object).map(\.text)) }
            table.write(to: console)
        }
    }

    private func cells(_ object: ManagedObject) throws -> [(name: String, text: String)] {
        try zip(names, paths).map { ($0, ValueText.cell(try value($1, of: object))) }
    }

    private func write(_ object: ManagedObject, to writer: inout JSONWriter) throws {
        try console.interruption.check()
        try console.output.check()
        var members: [(String, PropertyValue)] = try zip(names, paths).map { ($0, try value($1, of: object)) }
        if namesObjects { members.append(("id", .object(object.objectID))) }
        writer.beginObject()
        for (name, value) in members.sorted(by: { $0.0.utf8.lexicographicallyPrecedes($1.0.utf8) }) {
            writer.name(name)
            writer.property(value)
        }
        writer.endObject()
    }

    /// Whether `id` is the object's URI. It is not if a requested property has this name.
    private var namesObjects: Bool { !names.contains("id") }

    /// - Returns: Null after a dangling reference.
    private func value(_ path: [String], of object: ManagedObject) throws -> PropertyValue {
        let value = try object.propertyValue(forKey: path[0])
        guard path.count > 1 else { return value }
        let rest = Array(path.dropFirst())
        switch value {
        case .object(let id): return try target(id).map { try self.value(rest, of: $0) } ?? .null
        case .list(let members):
            var all: [PropertyValue] = []
            for case .object(let id) in members {
                guard let target = try target(id) else { continue }
                let value = try self.value(rest, of: target)
                if case .list(let inner) = value {
                    try QueryPath.check(multiplied: all.count + inner.count)
                    all += inner
                } else if !value.isNull {
                    all.append(value)
                }
            }
            return .list(all)
        case .composite: return value.part(at: rest)
        default: return .null
        }
    }

    private func target(_ id: ManagedObjectID) throws -> ManagedObject? {
        do {
            return try context.existingObject(with: id)
        } catch let error as GraphError where error.code == .objectNotFound {
            return nil
        }
    }
}
