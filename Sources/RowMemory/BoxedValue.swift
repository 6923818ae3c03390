package import Schema

/// A value that has no place of its own in a row.
package final class BoxedValue: Sendable {
    package let value: PropertyValue

    package init(_ value: PropertyValue) {
        self.value = value
    }
}
