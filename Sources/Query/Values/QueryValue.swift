package import Schema

/// The value of an expression.
///
/// Nil is `.scalar(.null)`, also written ``null``. References are `.object` if they come from
/// objects and `.scalar(.object(id))` if they are constants; the two compare by their IDs.
package enum QueryValue {
    case scalar(PropertyValue)
    case object(any QueryObject)
    /// The objects of a to-many relationship, a list, or the values of a path through a to-many
    /// relationship.
    case collection([QueryValue], isOrdered: Bool)

    package static var null: QueryValue { .scalar(.null) }
}
