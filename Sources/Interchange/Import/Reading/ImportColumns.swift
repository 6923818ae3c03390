import Folio

/// Maps the columns of a file, or the members of a JSON object, to the properties of one entity.
package final class ImportColumns {
    /// A relationship whose objects are identified by attribute values, such as `leader.first` and
    /// `leader.last`.
    struct NaturalLink {
        let property: PropertyDescription
        let key: NaturalKey
        /// The indexes of the key's values in a record.
        let places: [Int]
    }

    let entity: EntityDescription
    let names: [String]
    /// The attributes with their indexes in a record and in the entity.
    let attributes: [(place: Int, index: Int, attribute: AttributeDescription)]
    /// The relationships whose objects are named by URI or `Entity/p7`.
    let links: [(place: Int, property: PropertyDescription)]
    let naturalLinks: [NaturalLink]
    /// The indexes of the `--match` values in a record; empty if all records create new objects.
    let matchPositions: [Int]
    let matchKey: NaturalKey?

    /// Whether the names are those of columns, and not of members of a JSON object.
    let tellsColumns: Bool

    /// The properties of a new object that need a value and have none without a column.
    var absentMandatoryProperties: [PropertyDescription] {
        if entity.isAbstract { return [] }
        let present = Set(names.map { String($0.prefix { $0 != "." }) })
        return entity.properties.filter { property in
            guard !property.isOptional, !property.isTransient, !present.contains(property.name) else { return false }
            if let relationship = property.relationship { return !relationship.isToMany || relationship.minCount > 0 }
            guard let attribute = property.attribute else { return false }
            return attribute.defaultValue == nil && attribute.derivationExpression == nil
                && attribute.type != .composite
        }
    }

    var hasLinks: Bool { !links.isEmpty || !naturalLinks.isEmpty }

    /// - Parameters:
    ///   - matchKey: The key of `--match` for the entity.
    ///   - tellsColumns: Whether the names are those of columns, which errors then mention, or of
    ///     members of a JSON object.
    /// - Throws: An error for malformed data; a usage error if `names` lacks an attribute of
    ///   `matchKey`.
    init(
        _ names: [String], of entity: EntityDescription, in model: ManagedObjectModel, matching matchKey: NaturalKey?,
        tellsColumns: Bool
    ) throws {
        self.entity = entity
        self.names = names
        self.tellsColumns = tellsColumns
        var attributes: [(Int, Int, AttributeDescription)] = [], links: [(Int, PropertyDescription)] = []
        var natural: [String: [(place: Int, attribute: AttributeDescription)]] = [:]
        for (place, name) in names.enumerated() where !name.isEmpty {
            do {
                if let property = entity.property(named: name) {
                    if let attribute = property.attribute {
                        attributes.append((place, property.index, attribute))
                    } else {
                        links.append((place, property))
                    }
                } else if let dot = name.firstIndex(of: ".") {
                    let attribute = try Self.attribute(name, of: entity, in: model)
                    natural[String(name[..<dot]), default: []].append((place, attribute))
                } else {
                    throw EntityLookup.unknownKey(name, of: entity)
                }
            } catch var error as InterchangeError {
                error.exit = .malformed
                if tellsColumns { error.message = "line 1, column \(place + 1): \(error.message)" }
                throw error
            }
        }
        self.attributes = attributes
        self.links = links
        naturalLinks = try natural.sorted { $0.key < $1.key }.map { name, parts in
            let property = try EntityLookup.property(named: name, of: entity)
            if links.contains(where: { $0.1.name == name }) {
                throw InterchangeError.malformed(
                    "\(name) and \(name).\(parts[0].attribute.name) say the same link: leave one of them out")
            }
            guard let destination = property.relationship.flatMap({ model.destination(of: $0) }) else {
                throw EntityLookup.unknownKey(name, of: entity)
            }
            return NaturalLink(
                property: property, key: NaturalKey(entity: destination, attributes: parts.map(\.attribute)),
                places: parts.map(\.place))
        }
        self.matchKey = matchKey
        matchPositions = try (matchKey?.attributes ?? []).map { attribute in
            guard let place = names.firstIndex(of: attribute.name) else {
                throw InterchangeError.usage(
                    "--match \(attribute.name): there is no \(tellsColumns ? "column" : "member") of this name",
                    hint: Suggestion.sentence(for: attribute.name, among: names))
            }
            return place
        }
    }

    /// The attribute at the end of `relationship.attribute`.
    private static func attribute(_ path: String, of entity: EntityDescription, in model: ManagedObjectModel) throws
        -> AttributeDescription
    {
        let parts = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let property = try EntityLookup.property(named: parts[0], of: entity)
        guard let destination = property.relationship.flatMap({ model.destination(of: $0) }) else {
            throw InterchangeError.usage("\(path): \(parts[0]) is no relationship of \(entity.name)")
        }
        guard parts.count == 2 else {
            throw InterchangeError.usage(
                "\(path): objects are found by attributes of their own, as in \(parts[0]).\(parts[1])")
        }
        return try keyAttribute(parts[1], of: destination)
    }

    /// An attribute whose values can identify objects.
    static func keyAttribute(_ name: String, of entity: EntityDescription) throws -> AttributeDescription {
        let property = try EntityLookup.property(named: name, of: entity)
        guard let attribute = property.attribute, !property.isTransient,
            ![.binary, .transformable, .composite, .undefined, .objectID].contains(attribute.type)
        else {
            throw InterchangeError.usage(
                "objects can't be found by \(entity.name).\(name)",
                hint: "an attribute that is a number, a text, a date, a UUID, a URI or a boolean does")
        }
        return attribute
    }
}
