internal import Schema

/// A predicate that can be archived: the part of the language that models use.
indirect enum PredicateNode: Equatable {
    indirect enum Expression: Equatable {
        case evaluatedObject
        case variable(String)
        /// A path from the evaluated object.
        case keyPath(String)
        /// A path from another expression.
        case path(Expression, String)
        case constant(PropertyValue)
        case aggregate([Expression])
        /// A function of Core Data's predicate utilities, by selector.
        case function(String, [Expression])
    }

    case truth(Bool)
    /// Operator, options and modifier by their numbers in public headers.
    case comparison(Expression, Int64, Expression, options: Int64, modifier: Int64)
    case not(PredicateNode)
    case and([PredicateNode])
    case or([PredicateNode])
}
