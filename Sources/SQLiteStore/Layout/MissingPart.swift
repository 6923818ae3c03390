/// A part of the model that a store's file has no table or column for.
///
/// The rest of the store is read as ever. Values that belong there can't be written.
package struct MissingPart: Sendable, Hashable {
    package var entityIndex: Int
    /// Nil if the entity's table is missing.
    package var propertyIndex: Int?
    /// The leaf of a composite; empty for the whole property.
    var path: [String] = []
    /// What is missing, such as “the column ZBOOK.ZTITLE of Book.title is missing”. Empty for a
    /// part that another message names, too.
    package var message: String
}
