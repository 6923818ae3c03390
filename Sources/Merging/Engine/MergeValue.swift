internal import DocumentFiles
package import Schema

/// A value in one of the three states of a merge, with objects under the names of the merge.
package enum MergeValue: Sendable {
    /// An attribute's value; also null for relationships without an object.
    case plain(PropertyValue)
    /// Of a to-one relationship.
    case object(MergeName)
    /// Of a to-many relationship, in order where it has one.
    case members([MergeName])

    package static let null = MergeValue.plain(.null)

    package var isNull: Bool {
        switch self {
        case .plain(let value): value.isNull
        case .object: false
        case .members(let members): members.isEmpty
        }
    }

    /// The objects that a relationship leads to.
    package var names: [MergeName] {
        switch self {
        case .plain: []
        case .object(let name): [name]
        case .members(let members): members
        }
    }

    /// Of a to-one relationship.
    package var target: MergeName? {
        if case .object(let name) = self { name } else { nil }
    }

    package var attribute: PropertyValue {
        if case .plain(let value) = self { value } else { .null }
    }

    package func isSame(as other: MergeValue) -> Bool {
        switch (self, other) {
        case (.plain(let a), .plain(let b)): a.isSame(as: b)
        default: names == other.names && isNull == other.isNull
        }
    }

    /// With objects under other names.
    func renamed(_ names: [MergeName: MergeName]) -> MergeValue {
        switch self {
        case .plain: self
        case .object(let name): .object(names[name] ?? name)
        case .members(let members): .members(members.map { names[$0] ?? $0 })
        }
    }
}
