package import Folio

/// The options of an import, checked against a model.
package struct ImportSettings {
    /// The entity to import from an export, and the entity of objects without an explicit one.
    package var entityName: String?
    /// Nil if the header determines it.
    package var delimiter: UInt8?
    /// The attributes of `--match`, for all entities or for one.
    private var matches: [(entityName: String?, key: String)] = []
    /// Whether records named by objects of the document create new objects.
    package let importsAsNew: Bool
    /// The names of the column, or the member, that names the object of a record by its URI.
    static let nameKeys = ["id", "SELF"]
    /// Whether objects that are referred to by natural keys are created if they do not exist.
    package var createsMissing = false

    /// - Throws: A usage error.
    package init(_ options: ImportOptions, _ model: ManagedObjectModel) throws {
        entityName = options.entity
        if let name = entityName { _ = try EntityLookup.entity(named: name, in: model) }
        delimiter = options.delimiter?.byte
        createsMissing = options.createsMissing
        importsAsNew = options.importsAsNew
        for word in options.match.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false) }) {
            let parts = word.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard let last = parts.last, !last.isEmpty else {
                throw InterchangeError.usage("--match needs names of attributes, such as --match isbn")
            }
            if parts.count == 2 {
                let entity = try EntityLookup.entity(named: parts[0], in: model)
                if !Self.isName(last, of: entity) { _ = try ImportColumns.keyAttribute(last, of: entity) }
            }
            matches.append((parts.count == 2 ? parts[0] : nil, last))
        }
        if importsAsNew, let key = matches.first(where: { Self.nameKeys.contains($0.key) })?.key,
            !model.entities.contains(where: { $0.property(named: key) != nil })
        {
            throw InterchangeError.usage("--match \(key) and --as-new exclude each other")
        }
    }

    /// Whether a key is the name of the object itself, and not a property of the entity.
    package static func isName(_ key: String, of entity: EntityDescription) -> Bool {
        nameKeys.contains(key) && entity.property(named: key) == nil
    }

    /// The key of `--match` that names objects of an entity by their URIs; nil without it.
    func nameKey(_ entity: EntityDescription) -> String? {
        keys(entity).first { Self.isName($0, of: entity) }
    }

    private func keys(_ entity: EntityDescription) -> [String] {
        matches.compactMap { match in match.entityName.map { Self.isKind(entity, of: $0) } ?? true ? match.key : nil }
    }

    /// The attributes by which existing objects of an entity are found; nil if all of its records
    /// create new objects.
    /// - Throws: A usage error for an attribute that can't be used.
    func matchKey(_ entity: EntityDescription) throws -> NaturalKey? {
        let names = keys(entity).filter { !Self.isName($0, of: entity) }
        guard !names.isEmpty else { return nil }
        return NaturalKey(
            entity: entity,
            attributes: try names.map { name in
                do {
                    return try ImportColumns.keyAttribute(name, of: entity)
                } catch var error as InterchangeError {
                    error.message = "--match \(name): \(error.message)"
                    throw error
                }
            })
    }

    private static func isKind(_ entity: EntityDescription, of name: String) -> Bool {
        var ancestor: EntityDescription? = entity
        while let current = ancestor {
            if current.name == name { return true }
            ancestor = current.superentity
        }
        return false
    }

    /// - Parameter entities: The entities of all objects in the files.
    /// - Throws: A usage error for a `--match` entity that has no objects in the files.
    func checkMatches(_ entities: [EntityDescription]) throws {
        for match in matches {
            guard let name = match.entityName, !entities.contains(where: { Self.isKind($0, of: name) }) else {
                continue
            }
            let found = Set(entities.map(\.name)).sorted().joined(separator: ", ")
            throw InterchangeError.usage(
                "--match \(name).\(match.key): no file has objects of \(name)",
                hint: "the files have objects of \(found)")
        }
    }
}
