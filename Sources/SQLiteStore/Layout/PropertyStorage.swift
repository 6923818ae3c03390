package import Schema

/// The tables and columns that store the values of a property. Names are spelled as in the file and
/// are not quoted.
package enum PropertyStorage: Sendable, Hashable {
    /// Not stored: transient properties, and attributes whose type has no column.
    case none
    case attribute(AttributeColumn)
    /// One column for every leaf, including leaves of nested composites.
    case composite([CompositeLeaf])
    case toOne(ToOneColumns)
    /// The members' rows have the owner's key.
    case toMany(ToManyKey)
    case manyToMany(JoinTable)
}

/// The column of an attribute, in the table of its entity.
package struct AttributeColumn: Sendable, Hashable {
    package var name: String
    package var type: AttributeType
    /// Whether values begin with a byte that tells inline (1) from external (2) storage.
    package var hasStoragePrefix: Bool

    package init(name: String, type: AttributeType, hasStoragePrefix: Bool) {
        self.name = name
        self.type = type
        self.hasStoragePrefix = hasStoragePrefix
    }
}

package struct CompositeLeaf: Sendable, Hashable {
    /// The names of the composite's attributes from the root to the leaf.
    package var path: [String]
    package var column: AttributeColumn
}

/// The columns of a to-one relationship, in the table of its entity.
package struct ToOneColumns: Sendable, Hashable {
    /// The destination's `Z_PK`.
    package var key: String
    /// The destination's `Z_ENT`, if the destination entity has subentities. Nil if an old table
    /// lacks the column.
    package var entity: String?
    /// The row's position among the members of the ordered inverse.
    package var order: String?
    /// Index of the declared destination in the model.
    package var destinationIndex: Int

    package init(key: String, entity: String?, order: String?, destinationIndex: Int) {
        self.key = key
        self.entity = entity
        self.order = order
        self.destinationIndex = destinationIndex
    }
}

/// A one-to-many relationship: columns in the table of the members.
package struct ToManyKey: Sendable, Hashable {
    package var table: String
    /// The owner's `Z_PK`.
    package var key: String
    /// The owner's `Z_ENT`, where the inverse needs one.
    package var entity: String?
    /// The member's position, for ordered relationships.
    package var order: String?
    /// Index of the declared destination in the model.
    package var destinationIndex: Int
    /// Index of the inverse among the destination's properties; nil if the relationship has no
    /// inverse and the column serves it alone.
    package var inverseIndex: Int?
}

/// A many-to-many relationship, seen from one of its sides.
package struct JoinTable: Sendable, Hashable {
    package var table: String
    package var ownerColumn: String
    package var memberColumn: String
    /// The member's position among the owner's members, for ordered relationships.
    package var memberOrder: String?
    /// The owner's position among the members of the ordered inverse.
    package var ownerOrder: String?
    /// Whether the relationship is its own inverse. A pair of objects then has one row, in either
    /// order of its columns.
    package var isReflexive: Bool
    /// Index of the declared destination in the model.
    package var destinationIndex: Int

    /// The same table as seen from the inverse relationship.
    func reversed(destinationIndex: Int) -> JoinTable {
        JoinTable(
            table: table, ownerColumn: memberColumn, memberColumn: ownerColumn, memberOrder: ownerOrder,
            ownerOrder: memberOrder,
            isReflexive: isReflexive, destinationIndex: destinationIndex)
    }
}
