public import Schema

/// A value that has no place of its own in a row.
public final class BoxedValue: Sendable {
    public let value: PropertyValue

    public init(_ value: PropertyValue) {
        self.value = value
    }
}
