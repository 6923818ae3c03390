/// Where a store keeps the objects of an entity.
package struct EntityStorage: Sendable, Hashable {
    package var entityIndex: Int
    /// `Z_ENT`
    package var number: Int64
    /// `Z_ENT` of the root of the hierarchy, in whose row of `Z_PRIMARYKEY` the greatest key
    /// stands.
    package var rootNumber: Int64
    /// The table, shared with the whole hierarchy.
    package var table: String
    /// Whether the table holds objects of several entities, so that `Z_ENT` has to be asked.
    package var sharesTable: Bool
    /// By `PropertyDescription.index`.
    package var properties: [PropertyStorage]
}
