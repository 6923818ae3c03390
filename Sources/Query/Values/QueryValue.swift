package import Schema

/// What an expression of a predicate evaluates to.
///
/// A nil is `.scalar(.null)`, also written ``null``. References to objects come as `.object` from
/// objects and as `.scalar(.object(id))` from constants; the two compare by their IDs.
package enum QueryValue {
    case scalar(PropertyValue)
    case object(any QueryObject)
    /// The objects of a to-many relationship, a list, or the values of a path through a to-many.
    case collection([QueryValue], isOrdered: Bool)

    package static var null: QueryValue { .scalar(.null) }
}
