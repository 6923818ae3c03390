import Schema
import SQLiteKit

/// Converts numbers for attributes whose type changes in a migration.
///
/// A number is converted if the new type can represent it: an integer without loss of digits, a
/// Double with an integral value, a fraction whose shortest text is that of a Float. The caller
/// must refuse every other value.
enum NumberConversion {
    /// The SQL function that converts a cell's number to the type with the given raw value. Its
    /// result is NULL if the type can't represent the number.
    static let function = "folio_number"

    /// Whether cells must be converted or checked by ``function``. Conversions between Boolean and
    /// integers only need a range check, and every Float is a Double.
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

    /// The converted number; `null` if the type can't represent it.
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

    /// Accepts a Double whose decimal text is that of a Float: 0.1 as a Float differs from 0.1 as a
    /// Double.
    private static func nearestFloat(_ number: Double) -> Float? {
        let float = Float(number)
        return Double(float) == number || Double(float.description) == number ? float : nil
    }

    /// Within these bounds a Decimal can represent the 17 significant digits of a Double and its
    /// exponent.
    private static func decimal(_ number: SQLiteValue) -> SQLiteValue {
        if let integer = whole(number) { return .integer(integer) }
        guard case .real(let real) = number, (1e-110...1e127).contains(abs(real)) else { return .null }
        return .real(real)
    }
}

extension AttributeType {
    fileprivate var isWhole: Bool { storedRange != nil }
    fileprivate var isNumber: Bool { isWhole || self == .decimal || self == .double || self == .float }

    /// The range of a Boolean or integer column; nil for every other type.
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
