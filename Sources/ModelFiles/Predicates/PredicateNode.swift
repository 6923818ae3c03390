internal import Schema

/// A predicate that can be archived: the part of the predicate language that models use.
indirect enum PredicateNode: Equatable {
    indirect enum Expression: Equatable {
        case evaluatedObject
        case variable(String)
        /// A key path of the evaluated object.
        case keyPath(String)
        /// A key path of another expression.
        case path(Expression, String)
        case constant(PropertyValue)
        case aggregate([Expression])
        /// A function of Core Data's predicate utilities, with the selector as its name.
        case function(String, [Expression])
    }

    case truth(Bool)
    /// Operator, options and modifier have the raw values of Core Data's public headers.
    case comparison(Expression, Int64, Expression, options: Int64, modifier: Int64)
    case not(PredicateNode)
    case and([PredicateNode])
    case or([PredicateNode])
}
