import Folio

/// An example for each predicate function. The compiler ensures that no function is missing.
enum QueryFunctionHelp {
    static func examples(where isWanted: (QueryFunction) -> Bool) -> [PredicateHelp.Example] {
        QueryFunction.allCases.filter(isWanted).map(example)
    }

    private static func example(_ function: QueryFunction) -> PredicateHelp.Example {
        let (predicate, sql) = texts(function)
        return PredicateHelp.Example(predicate, sql)
    }

    private static func texts(_ function: QueryFunction) -> (predicate: String, sql: String) {
        switch function {
        case .add: ("year + 1 == 1894", "year + 1 = 1894")
        case .subtract: ("year - 1 == 1892", "year - 1 = 1892")
        case .multiply: ("year * 2 > 3800", "year * 2 > 3800")
        case .divide: ("distance / 2 > 100", "distance / 2.0 > 100")
        case .modulus: ("modulus:by:(year, 10) == 3", "year % 10 = 3")
        case .power: ("year ** 2 > 100", "power(year, 2) > 100")
        case .bitAnd: ("year & 1 == 1", "year & 1 = 1")
        case .bitOr: ("year | 1 == year", "(year | 1) = year")
        case .bitXor: ("year ^ 1 > 0", "(year | 1) - (year & 1) > 0")
        case .shiftLeft: ("year << 1 > 3786", "year << 1 > 3786")
        case .shiftRight: ("year >> 1 > 900", "year >> 1 > 900")
        case .complement: ("~year < 0", "~year < 0")
        case .abs: ("abs(year - 1900) < 10", "abs(year - 1900) < 10")
        case .ceiling: ("ceiling(distance) > 100", "ceil(distance) > 100")
        case .floor: ("floor(distance) > 100", "floor(distance) > 100")
        case .truncate: ("trunc(distance) > 100", "trunc(distance) > 100")
        case .squareRoot: ("sqrt(distance) > 10", "sqrt(distance) > 10")
        case .exponential: ("exp(1) < distance", "exp(1) < distance")
        case .logarithm: ("log(distance) > 2", "log10(distance) > 2")
        case .naturalLogarithm: ("ln(distance) > 2", "ln(distance) > 2")
        case .lowercase: (#"lowercase(title) == "farthest north""#, "lower(title) = 'farthest north'")
        case .uppercase: (#"uppercase(title) == "FARTHEST NORTH""#, "upper(title) = 'FARTHEST NORTH'")
        case .canonical: (#"canonical(title) == "farthest north""#, "without case and accents")
        case .length: ("length(title) > 5", "length(title) > 5")
        case .now: ("startedOn < now()", "startedOn < CURRENT_TIMESTAMP")
        case .local:
            (#"local(startedOn, "Europe/Berlin") >= "1893-06-24""#, "startedOn AT TIME ZONE 'Europe/Berlin' >= …")
        case .year: ("year(startedOn) == 1893", "strftime('%Y', startedOn) = '1893'")
        case .month: ("month(startedOn) == 6", "strftime('%m', startedOn) = '06'")
        case .day: ("day(startedOn) == 24", "strftime('%d', startedOn) = '24'")
        case .hour:
            (#"hour(startedOn, "Europe/Berlin") == 1"#, "extract(hour FROM startedOn AT TIME ZONE 'Europe/Berlin') = 1")
        case .minute: ("minute(startedOn) == 0", "strftime('%M', startedOn) = '00'")
        case .second: ("second(startedOn) == 0", "strftime('%S', startedOn) = '00'")
        case .weekday: ("weekday(startedOn) == 6", "strftime('%w', startedOn) = '6', but 7 for Sunday")
        case .count: ("count(stops) > 2", "(SELECT COUNT(*) …) > 2")
        case .sum: ("sum(stops.nights) > 10", "(SELECT SUM(nights) …) > 10")
        case .average: ("average(stops.nights) > 2", "(SELECT AVG(nights) …) > 2")
        case .min: ("min(stops.nights) >= 1", "(SELECT MIN(nights) …) >= 1")
        case .max: ("max(stops.nights) > 3", "(SELECT MAX(nights) …) > 3")
        case .noIndex: ("noindex(year) == 1893", "+year = 1893")
        case .relevance: (#"relevance:to:(title, "north") > 0"#, "how well SEARCH fits, 0 for not")
        case .indexed: (#"indexed:by:(year, "byYear") > 1900"#, "… INDEXED BY byYear …")
        }
    }
}

extension QueryFunction {
    /// Whether the function is an operator, or documented with the operators.
    var isOperator: Bool {
        switch self {
        case .add, .subtract, .multiply, .divide, .modulus, .power, .bitAnd, .bitOr, .bitXor, .shiftLeft, .shiftRight,
            .complement:
            true
        default: false
        }
    }
}
