import Coding
import Folio

/// Finds mandatory properties that new objects can't get, before their records are processed.
extension DocumentImporter {
    /// Checks the members of a record that creates a new object.
    /// - Throws: An error for malformed data with the record's location.
    mutating func checkMandatory(of record: ImportRecord) throws {
        guard record.columns.matchKey == nil, !checkedColumns.contains(ObjectIdentifier(record.columns)) else { return }
        do { guard try ownID(record) == nil else { return } } catch {
            throw ImportFailure.malformed(error, record.place())
        }
        try checkMandatory(record.columns, place: record.place())
    }

    /// Checks the columns of records that create new objects.
    mutating func checkMandatory(_ columns: ImportColumns, place: String) throws {
        guard checkedColumns.insert(ObjectIdentifier(columns)).inserted else { return }
        try refuse(columns.absentMandatoryProperties.filter { $0.attribute != nil || !canBeLinked($0) }, columns, place)
    }

    /// Checks the relationships of a record that creates a new object, since no existing object has
    /// its values of `--match`. A later record with the same values may have other attributes.
    mutating func checkLinks(_ record: ImportRecord) throws {
        guard record.columns.matchKey != nil, checkedColumns.insert(ObjectIdentifier(record.columns)).inserted else {
            return
        }
        try refuse(
            record.columns.absentMandatoryProperties.filter {
                $0.attribute == nil && !canBeLinked($0) && !isColumn($0.name)
            }, record.columns, nil)
    }

    private func refuse(_ properties: [PropertyDescription], _ columns: ImportColumns, _ place: String?) throws {
        guard let first = properties.first else { return }
        let names = properties.map { "\(columns.entity.name).\($0.name)" }
        let kind = columns.tellsColumns ? "column" : "member"
        throw InterchangeError(
            .malformed, "missingColumn",
            (place.map { $0 + ": " } ?? "")
                + (names.count == 1
                    ? "\(names[0]) is required, and there is no \(kind) for it"
                    : names.joined(separator: " and ") + " are required, and there are no \(kind)s for them"),
            hint: first.relationship.map { _ in
                "add \(first.name), with URIs or Entity/p1, or \(first.name).ATTRIBUTE, with values of an attribute"
            },
            detail: .object([
                "entity": .string(columns.entity.name), "keys": .strings(properties.map(\.name)),
            ]))
    }

    /// Whether a record of another object may set a relationship, at its other end.
    private func canBeLinked(_ property: PropertyDescription) -> Bool {
        guard let inverse = store.model.inverse(of: property) else { return false }
        return isColumn(inverse.name)
    }

    /// Whether a file may have values of a property, by its name.
    private func isColumn(_ name: String) -> Bool {
        columnNames.contains { names in
            names.map { $0.contains { $0 == name || $0.hasPrefix(name + ".") } } ?? true
        }
    }
}
