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
            $0 == ColumnList.object
                ? false
                : try EntityLookup.attribute(atKeyPath: $0, of: entity, in: reader.model)?.type.isNumeric ?? false
        }
    }

    func write(_ format: String) throws {
        try RecordWriter(names: names, alignsRight: alignsRight, console: console).write(
            objects, format, id: namesObjects ? { $0.objectID } : nil
        ) { object in
            try paths.map { try value($0, of: object) }
        }
    }

    /// Whether `id` is the object's URI. It is not if a requested property has this name, and not
    /// needed beside SELF.
    private var namesObjects: Bool { !names.contains("id") && !names.contains(ColumnList.object) }

    /// - Returns: Null after a dangling reference.
    private func value(_ path: [String], of object: ManagedObject) throws -> PropertyValue {
        if path == [ColumnList.object] { return .object(object.objectID) }
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
