import Foundation
package import Schema

/// Untyped access to attributes. Relationships are not available as values: use `reference(_:)` and
/// `members(_:)`.
extension Row {
    /// The value of an attribute.
    package func value(_ slot: RowSlot) -> PropertyValue { cells.value(slot) }

    /// Stores the value of an attribute.
    /// - Returns: false, and changes nothing, if the value is not of the slot's kind.
    package func setValue(_ value: PropertyValue, _ slot: RowSlot) -> Bool { cells.setValue(value, slot) }
}

extension RowCells {
    /// The value of an attribute.
    package func value(_ slot: RowSlot) -> PropertyValue {
        guard hasValue(slot) else { return .null }
        return wrap(slot, take: false)
    }

    /// Moves the value of an attribute out, without retaining it. The row has no value afterwards.
    package func moveValue(_ slot: RowSlot) -> PropertyValue {
        guard hasValue(slot) else { return .null }
        return wrap(slot, take: true)
    }

    private func wrap(_ slot: RowSlot, take: Bool) -> PropertyValue {
        func get<Value>(_ type: Value.Type) -> Value {
            let place = (base + Int(slot.offset)).assumingMemoryBound(to: Value.self)
            guard take else { return place.pointee }
            setPresence(slot, to: false)
            return place.move()
        }
        switch slot.kind {
        case .int: return .int(get(Int64.self))
        case .bool: return .bool(get(Bool.self))
        case .double: return .double(get(Double.self))
        case .float: return .float(get(Float.self))
        case .date: return .date(Date(timeIntervalSinceReferenceDate: get(Double.self)))
        case .string: return .string(get(String.self))
        case .uri:
            let text = get(String.self)
            // A foreign store may contain text that is not a valid URI; it is returned as a string.
            return URL(string: text).map { .uri($0) } ?? .string(text)
        case .uuid: return .uuid(get(UUID.self))
        case .decimal: return .decimal(get(Decimal.self))
        case .data: return .data(get(Data.self))
        case .large: return .large(get(LargeValue.self))
        case .boxed: return get(BoxedValue.self).value
        case .toOne, .toMany: preconditionFailure("A relationship is not read as an attribute")
        }
    }

    /// Stores the value of an attribute.
    /// - Returns: false, and changes nothing, if the value is not of the slot's kind.
    package func setValue(_ value: PropertyValue, _ slot: RowSlot) -> Bool {
        switch (slot.kind, value) {
        case (_, .null): clear(slot)
        case (.int, .int(let value)): store(value, slot)
        case (.bool, .bool(let value)): store(value, slot)
        case (.double, .double(let value)): store(value, slot)
        case (.float, .float(let value)): store(value, slot)
        case (.date, .date(let value)): store(value.timeIntervalSinceReferenceDate, slot)
        case (.string, .string(let value)), (.uri, .string(let value)): store(value, slot)
        case (.uri, .uri(let value)): store(value.absoluteString, slot)
        case (.uuid, .uuid(let value)): store(value, slot)
        case (.decimal, .decimal(let value)): store(value, slot)
        case (.data, .data(let value)): store(value, slot)
        case (.large, .large(let value)): store(value, slot)
        case (.large, .data(let value)): store(LargeValue(value), slot)
        case (.boxed, _): store(BoxedValue(value), slot)
        default: return false
        }
        return true
    }
}
