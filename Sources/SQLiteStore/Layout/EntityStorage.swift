/// The table and columns of an entity in a store.
package struct EntityStorage: Sendable, Hashable {
    package var entityIndex: Int
    /// `Z_ENT`
    package var number: Int64
    /// `Z_ENT` of the root of the hierarchy. Its row of `Z_PRIMARYKEY` has the greatest primary
    /// key.
    package var rootNumber: Int64
    /// The table, shared by the whole hierarchy.
    package var table: String
    /// Whether the table has objects of several entities, so that queries must check `Z_ENT`.
    package var sharesTable: Bool
    /// By `PropertyDescription.index`.
    package var properties: [PropertyStorage]
}
