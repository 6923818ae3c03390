package import Schema

/// Where a store keeps the values of a property. Tables and columns are names as the file spells
/// them, not quoted.
package enum PropertyStorage: Sendable, Hashable {
    /// Nowhere: transient properties, and those without a type that a column could have.
    case none
    case attribute(AttributeColumn)
    /// A column for every leaf, nested composites included.
    case composite([CompositeLeaf])
    case toOne(ToOneColumns)
    /// The members hold the owner's key.
    case toMany(ToManyKey)
    case manyToMany(JoinTable)
}

/// The column of an attribute, in the table of its entity.
package struct AttributeColumn: Sendable, Hashable {
    package var name: String
    package var type: AttributeType
    /// Values begin with a byte that says whether they are inline (1) or in a file (2).
    package var hasStoragePrefix: Bool

    package init(name: String, type: AttributeType, hasStoragePrefix: Bool) {
        self.name = name
        self.type = type
        self.hasStoragePrefix = hasStoragePrefix
    }
}

package struct CompositeLeaf: Sendable, Hashable {
    /// The names of the composite's attributes on the way to the leaf.
    package var path: [String]
    package var column: AttributeColumn
}

/// The columns of a to-one relationship, in the table of its entity.
package struct ToOneColumns: Sendable, Hashable {
    /// The destination's `Z_PK`.
    package var key: String
    /// The destination's `Z_ENT`, where the destination entity has sub-entities; nil also where an
    /// old table lacks the column.
    package var entity: String?
    /// The row's position among the members of the ordered inverse.
    package var order: String?
    /// Position in the model of the declared destination.
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
    /// Position in the model of the declared destination.
    package var destinationIndex: Int
    /// The place of the inverse among the destination's properties; nil where the relationship has
    /// no inverse and the column serves it alone.
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
    /// The relationship is its own inverse: a pair of objects has one row, whichever of them stands
    /// in which column.
    package var isReflexive: Bool
    /// Position in the model of the declared destination.
    package var destinationIndex: Int

    /// The same table as the inverse relationship sees it.
    func reversed(destinationIndex: Int) -> JoinTable {
        JoinTable(
            table: table, ownerColumn: memberColumn, memberColumn: ownerColumn, memberOrder: ownerOrder,
            ownerOrder: memberOrder,
            isReflexive: isReflexive, destinationIndex: destinationIndex)
    }
}
