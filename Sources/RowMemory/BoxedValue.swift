public import Schema

/// A value that is stored outside of the row's memory.
public final class BoxedValue: Sendable {
    public let value: PropertyValue

    public init(_ value: PropertyValue) {
        self.value = value
    }
}
