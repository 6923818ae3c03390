internal import Foundation
package import Schema
package import Storage

extension [PendingUniqueValue] {
    /// The entry for these values in the store's metadata; nil if there are none. It is an array of
    /// dictionaries with `entity`, `key`, `property`, and the value with the name of its type as
    /// key.
    package var metadata: MetadataValue? {
        guard !isEmpty else { return nil }
        return .array(
            compactMap { pending in
                guard var entry = Self.noted(pending.value) else { return nil }
                entry["property"] = .string(pending.propertyName)
                return .dictionary(pending.objectID.noted.merging(entry) { $1 })
            })
    }

    /// Reads the entry of a store's metadata. Entries with objects or properties that the model
    /// does not contain are left out.
    package init(_ metadata: MetadataValue?, of store: StoreIdentity) {
        self = []
        guard case .array(let entries)? = metadata else { return }
        for case .dictionary(let entry) in entries {
            guard case .string(let property)? = entry["property"], let id = ManagedObjectID(noted: entry, store),
                id.entity.propertyIndex(named: property) != nil,
                let value = Self.value(entry, store)
            else { continue }
            append(PendingUniqueValue(objectID: id, propertyName: property, value: value))
        }
    }

    private static func noted(_ value: PropertyValue) -> [String: MetadataValue]? {
        switch value {
        case .int(let value): ["integer": .integer(value)]
        case .bool(let value): ["boolean": .boolean(value)]
        case .double(let value): ["double": .real(value)]
        case .float(let value): ["float": .real(Double(value))]
        case .decimal(let value): ["decimal": .string("\(value)")]
        case .date(let value): ["date": .date(value)]
        case .string(let value): ["string": .string(value)]
        case .data(let value): ["data": .data(value)]
        case .uuid(let value): ["uuid": .string(value.uuidString)]
        case .uri(let value): ["uri": .string(value.absoluteString)]
        case .large(let value): (try? value.data()).map { ["data": .data($0)] }
        case .object(let id): ["object": .dictionary(id.noted)]
        case .composite(let parts): ["parts": .dictionary(parts.compactMapValues { noted($0).map { .dictionary($0) } })]
        case .null, .list: nil
        }
    }

    private static func value(_ entry: [String: MetadataValue], _ store: StoreIdentity) -> PropertyValue? {
        for (type, value) in entry {
            switch (type, value) {
            case ("integer", .integer(let value)): return .int(value)
            case ("boolean", .boolean(let value)): return .bool(value)
            case ("double", .real(let value)): return .double(value)
            case ("float", .real(let value)): return .float(Float(value))
            case ("decimal", .string(let text)): return Decimal(string: text).map { .decimal($0) }
            case ("date", .date(let value)): return .date(value)
            case ("string", .string(let value)): return .string(value)
            case ("data", .data(let value)): return .data(value)
            case ("uuid", .string(let text)): return UUID(uuidString: text).map { .uuid($0) }
            case ("uri", .string(let text)): return URL(string: text).map { .uri($0) }
            case ("object", .dictionary(let place)): return ManagedObjectID(noted: place, store).map { .object($0) }
            case ("parts", .dictionary(let parts)):
                return .composite(
                    parts.compactMapValues {
                        if case .dictionary(let part) = $0 { Self.value(part, store) } else { nil }
                    })
            default: continue
            }
        }
        return nil
    }
}
