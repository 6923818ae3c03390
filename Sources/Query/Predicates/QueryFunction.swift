/// The functions that predicates and computed columns may call. The raw values are their names in
/// the tree.
package enum QueryFunction: String, CaseIterable, Sendable {
    case add = "add:to:", subtract = "from:subtract:", multiply = "multiply:by:", divide = "divide:by:", modulus =
        "modulus:by:", power = "raise:toPower:"
    case bitAnd = "bitwiseAnd:with:", bitOr = "bitwiseOr:with:", bitXor = "bitwiseXor:with:"
    case shiftLeft = "leftshift:by:", shiftRight = "rightshift:by:", complement = "onesComplement:"
    case abs = "abs:", ceiling = "ceiling:", floor = "floor:", truncate = "trunc:", squareRoot = "sqrt:", exponential =
        "exp:", logarithm = "log:"
    case naturalLogarithm = "ln:"
    case lowercase = "lowercase:", uppercase = "uppercase:", canonical = "canonical:", length = "length:"
    case now = "now"
    /// The date whose parts in UTC are those of a date in a time zone, which is given by its name
    /// in the IANA database.
    case local = "local:in:"
    /// Parts of a date in UTC. Weekdays are numbered from 1 for Monday.
    case year = "year:", month = "month:", day = "day:", hour = "hour:", minute = "minute:", second = "second:",
        weekday = "weekday:"
    case count = "count:", sum = "sum:", average = "average:", min = "min:", max = "max:"
    /// Returns its argument; asks a store not to use an index.
    case noIndex = "noindex:"
    /// How well a text matches a SEARCH query: the greater, the better; 0 if the text is nil or
    /// matches no term.
    case relevance = "relevance:to:"
    /// Returns its first argument; names the model's index that should be used. Stores choose their
    /// indexes themselves.
    case indexed = "indexed:by:"

    /// The function with this name in predicate text. The colon of a function with one argument is
    /// optional; `local` stands for `local:in:`.
    package init?(written name: String) {
        if let function = QueryFunction(rawValue: name) ?? QueryFunction(rawValue: name + ":") {
            self = function
        } else if name == "local" {
            self = .local
        } else {
            return nil
        }
    }

    package var argumentCount: Int { rawValue.utf8.reduce(0) { $1 == UInt8(ascii: ":") ? $0 + 1 : $0 } }

    /// Whether it computes one value from a collection.
    package var isAggregate: Bool {
        switch self {
        case .count, .sum, .average, .min, .max: true
        default: false
        }
    }

    /// Whether it takes a date and returns a part of it.
    package var isDatePart: Bool {
        switch self {
        case .year, .month, .day, .hour, .minute, .second, .weekday: true
        default: false
        }
    }

    /// The operator for the function, if it has one.
    var infix: (symbol: String, precedence: Int)? {
        switch self {
        case .bitAnd: ("&", 1)
        case .bitOr: ("|", 1)
        case .bitXor: ("^", 1)
        case .shiftLeft: ("<<", 2)
        case .shiftRight: (">>", 2)
        case .add: ("+", 3)
        case .subtract: ("-", 3)
        case .multiply: ("*", 4)
        case .divide: ("/", 4)
        case .power: ("**", 6)
        default: nil
        }
    }

    /// The precedence of `-x` and `~x`.
    static let unaryPrecedence = 5

    /// The aggregate of a collection operator such as `@avg`.
    package init?(collectionOperator name: String) {
        switch name {
        case "@count": self = .count
        case "@sum": self = .sum
        case "@avg": self = .average
        case "@min": self = .min
        case "@max": self = .max
        default: return nil
        }
    }
}
