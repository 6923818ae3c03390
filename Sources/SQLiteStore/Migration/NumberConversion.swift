import Schema
import SQLiteKit

/// Numbers of one type as numbers of another, for attributes whose type changes in a migration.
///
/// A number is converted where the new type has the same number: an integer without a loss of
/// digits, a Double that is a whole number, a fraction whose shortest text is that of a Float.
/// Every other value is left to the caller to refuse.
enum NumberConversion {
    /// The function of SQL: the number in a cell as one of the type with this raw value, NULL where
    /// there is none.
    static let function = "folio_number"

    /// Whether cells have to be converted, or held against the new type, by ``function``. Among
    /// Boolean and the integers the range alone counts, and every Float is a Double.
    static func isNeeded(from old: AttributeType, to new: AttributeType) -> Bool {
        guard old != new, old.isNumber, new.isNumber else { return false }
        return !(old.isWhole && new.isWhole) && !(old == .float && new == .double)
    }

    static func expression(_ column: String, _ type: AttributeType) -> String {
        "\(function)(\(SQLName.quoted(column)), \(type.rawValue))"
    }

    static func register(on connection: Connection) throws {
        try connection.register(function: function, argumentCount: 2, flags: [.deterministic, .directOnly]) {
            arguments, result in
            guard let type = AttributeType(rawValue: Int(arguments[1].int64)) else { return }
            let number: SQLiteValue =
                switch arguments[0].storageClass {
                case .integer: .integer(arguments[0].int64)
                case .real: .real(arguments[0].double)
                default: .null
                }
            switch converted(number, to: type) {
            case .integer(let integer): result.set(integer)
            case .real(let real): result.set(real)
            default: return
            }
        }
    }

    /// `null` where the type has no such number.
    static func converted(_ number: SQLiteValue, to type: AttributeType) -> SQLiteValue {
        if let range = type.storedRange {
            guard let integer = whole(number), range.contains(integer) else { return .null }
            return .integer(integer)
        }
        switch type {
        case .double: return fraction(number).map { .real($0) } ?? .null
        case .float: return fraction(number).flatMap(nearestFloat).map { .real(Double($0)) } ?? .null
        case .decimal: return decimal(number)
        default: return .null
        }
    }

    private static func whole(_ number: SQLiteValue) -> Int64? {
        switch number {
        case .integer(let integer): integer
        case .real(let real): Int64(exactly: real)
        default: nil
        }
    }

    private static func fraction(_ number: SQLiteValue) -> Double? {
        switch number {
        case .integer(let integer): Double(exactly: integer)
        case .real(let real): real
        default: nil
        }
    }

    /// 0.1 as a Float is another number than 0.1 as a Double, but the one that is written so.
    private static func nearestFloat(_ number: Double) -> Float? {
        let float = Float(number)
        return Double(float) == number || Double(float.description) == number ? float : nil
    }

    /// The 17 digits that tell a Double apart, and its exponent, fit into a Decimal within these
    /// bounds.
    private static func decimal(_ number: SQLiteValue) -> SQLiteValue {
        if let integer = whole(number) { return .integer(integer) }
        guard case .real(let real) = number, (1e-110...1e127).contains(abs(real)) else { return .null }
        return .real(real)
    }
}

extension AttributeType {
    fileprivate var isWhole: Bool { storedRange != nil }
    fileprivate var isNumber: Bool { isWhole || self == .decimal || self == .double || self == .float }

    /// The numbers that a column of a Boolean or an integer has; nil for every other type.
    var storedRange: ClosedRange<Int64>? {
        switch self {
        case .boolean: 0...1
        case .integer16: Int64(Int16.min)...Int64(Int16.max)
        case .integer32: Int64(Int32.min)...Int64(Int32.max)
        case .integer64: .min ... .max
        default: nil
        }
    }
}
