import Coding
import Folio
import Foundation

/// Sets the attributes of an object from a record.
struct ImportedValues {
    let model: ManagedObjectModel

    /// - Returns: Whether the object was changed, if `isCompared`.
    /// - Throws: An error for malformed data with its location.
    func set(
        _ record: ImportRecord, of object: ManagedObject, isCompared: Bool,
        missing: (_ key: String, _ fileName: String) -> Void
    ) throws -> Bool {
        var isChanged = false
        for (place, index, attribute) in record.columns.attributes {
            let raw = record.values[place]
            do {
                var value: PropertyValue
                if case .json(.object(let members)) = raw, let name = members["$missing"]?.string {
                    missing(attribute.name, name)
                    if isCompared { continue }
                    // A mandatory value can't be nil. An empty value is used so that the object is
                    // not lost together with the value.
                    value = attribute.isOptional ? .null : .data(Data())
                } else {
                    value = try self.value(raw, for: attribute)
                }
                if isCompared {
                    guard try !Self.isEqual(object.propertyValue(forKey: attribute.name), value) else { continue }
                    isChanged = true
                }
                try PropertyAccess(object).setAttributeValue(value, at: index)
            } catch {
                throw ImportFailure.malformed(error, record.place(column: place))
            }
        }
        return isChanged
    }

    func value(_ value: ImportRecord.Value, for attribute: AttributeDescription) throws -> PropertyValue {
        switch value {
        case .json(let json): return try ValueParser.value(json, for: attribute, in: model)
        case .text(nil): return .null
        case .text(let text?):
            // Composites are JSON in CSV fields.
            if attribute.type == .composite {
                return try ValueParser.value(try JSONReader.value(of: text), for: attribute, in: model)
            }
            return try ValueParser.value(text, for: attribute)
        }
    }

    private static func isEqual(_ left: PropertyValue, _ right: PropertyValue) throws -> Bool {
        if case .large(let old) = left, case .large(let new) = right {
            return try old.count == new.count && old.data() == new.data()
        }
        return NaturalKey.Values.isSame(left, right)
    }
}
