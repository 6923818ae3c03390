package import Foundation
package import Schema

/// The rules for comparing and computing values. They are the same in memory and in the SQL of
/// every store.
///
/// Equality and order
/// 1. Nil equals nil and nothing else. `!=` is the complement of `==`, so nil differs from every
///    other value. A NaN counts as nil, because SQLite stores it as NULL.
/// 2. `< <= > >=`, BETWEEN and the string operators are false if a side is nil. NOT of them is then
///    true: NOT is always the exact complement.
/// 3. Integers, booleans (1 and 0), Doubles, Floats and Decimals compare by numeric value, an
///    integer with a Double exactly. A Decimal counts as the nearest Double, because SQLite stores
///    it that way. Dates compare with dates, by their seconds.
/// 4. Strings are equal if their code units are equal, and are ordered by UTF-8, which is the order
///    of Unicode scalars; canonical equivalence does not count. URIs count as their text. Options
///    fold both sides first (``TextFolding``). Binary values and UUIDs are ordered by their bytes.
/// 5. References are equal if their object IDs are equal; they have no order.
/// 6. Values of different kinds are not equal. Ordering them is an error (`type`), which validation
///    against a model finds before execution.
///
/// Arithmetic
/// 7. A nil argument gives nil. Nil is also the result of division and modulus by zero, of a
///    logarithm of a number that is not positive, and of every other operation without a numeric
///    result.
/// 8. Integers (and booleans) stay integers: `7 / 2` is 3, rounded toward zero. A result beyond 64
///    bits becomes a Double. If either side is a Double, Float or Decimal, the operation is
///    computed in Double.
/// 9. `modulus:by:` and the bitwise functions take integers and truncate fractions; a shift by a
///    negative count shifts in the other direction. `raise:toPower:`, `sqrt:`, `exp:`, `ln:` and
///    `log:` (base 10) give Doubles; `abs:`, `ceiling:`, `floor:` and `trunc:` leave integers
///    unchanged.
/// 10. A date plus or minus seconds is a date; a date minus a date is a number of seconds. Other
///     kinds in arithmetic are an error (`type`).
/// 11. `length:` counts UTF-16 units of strings, as validation does, and bytes of binary values.
///     `lowercase:` and `uppercase:` are the full Unicode mappings.
///
/// Aggregates
/// 12. `@count`, `count:` and `[SIZE]` count the values that are not nil; the other aggregates
///     ignore nil. The sum of no values is 0; the average, minimum and maximum of no values are
///     nil. Integers are added exactly: their sum is an integer, or the nearest Double beyond 64
///     bits. Doubles are then added in ascending order, so that the result does not depend on the
///     order of the collection. Averages are Doubles. Minimum and maximum take all values that have
///     an order, strings included.
package enum ScalarRules {
    enum Number {
        case int(Int64)
        case double(Double)
    }

    // MARK: Equality and order

    package static func equal(_ a: PropertyValue, _ b: PropertyValue) -> Bool {
        switch (a, b) {
        case (.int(let x), .int(let y)): return x == y
        case (.string(let x), .string(let y)): return TextOrder.equal(x, y)
        case (.object(let x), .object(let y)): return x == y
        case (.uuid(let x), .uuid(let y)): return x == y
        case (.data(let x), .data(let y)): return x == y
        case (.large(let x), .large(let y)): return x == y
        case (.composite(let x), .composite(let y)): return x == y
        case (.list(let x), .list(let y)): return x.count == y.count && zip(x, y).allSatisfy { equal($0, $1) }
        default: break
        }
        if isNull(a) || isNull(b) { return isNull(a) && isNull(b) }
        if case .some(.some(let order)) = try? order(a, b) { return order == 0 }
        return false
    }

    /// Negative, zero or positive; nil if a side is nil.
    /// - Throws: ``QueryError`` with code `type` if the kinds have no common order.
    package static func order(_ a: PropertyValue, _ b: PropertyValue) throws(QueryError) -> Int? {
        switch (a, b) {
        case (.int(let x), .int(let y)): return x < y ? -1 : (x == y ? 0 : 1)
        case (.string(let x), .string(let y)): return TextOrder.binary(x, y)
        case (.date(let x), .date(let y)):
            return order(x.timeIntervalSinceReferenceDate, y.timeIntervalSinceReferenceDate)
        case (.uuid(let x), .uuid(let y)):
            return withUnsafeBytes(of: x.uuid) { left in withUnsafeBytes(of: y.uuid) { TextOrder.bytes(left, $0) } }
        case (.data(let x), .data(let y)):
            return x.withUnsafeBytes { left in y.withUnsafeBytes { TextOrder.bytes(left, $0) } }
        default: break
        }
        if isNull(a) || isNull(b) { return nil }
        if let x = number(a), let y = number(b) { return order(x, y) }
        if let x = text(a), let y = text(b) { return TextOrder.binary(x, y) }
        throw QueryError(.type, "A \(kind(of: a)) and a \(kind(of: b)) have no common order")
    }

    static func order(_ a: Number, _ b: Number) -> Int? {
        switch (a, b) {
        case (.int(let x), .int(let y)): x < y ? -1 : (x == y ? 0 : 1)
        case (.double(let x), .double(let y)): order(x, y)
        case (.int(let x), .double(let y)): order(x, y)
        case (.double(let x), .int(let y)): order(y, x).map { -$0 }
        }
    }

    private static func order(_ a: Double, _ b: Double) -> Int? {
        a < b ? -1 : (a == b ? 0 : (a > b ? 1 : nil))
    }

    /// Compares exactly: neither side is rounded.
    private static func order(_ a: Int64, _ b: Double) -> Int? {
        if b.isNaN { return nil }
        if b >= 0x1p63 { return -1 }
        if b < -0x1p63 { return 1 }
        let whole = Int64(b)
        if a != whole { return a < whole ? -1 : 1 }
        let fraction = b - Double(whole)
        return fraction > 0 ? -1 : (fraction < 0 ? 1 : 0)
    }

    // MARK: Kinds

    package static func isNull(_ value: PropertyValue) -> Bool {
        switch value {
        case .null: true
        case .double(let number): number.isNaN
        case .float(let number): number.isNaN
        case .decimal(let number): number.isNaN
        case .date(let date): date.timeIntervalSinceReferenceDate.isNaN
        default: false
        }
    }

    static func number(_ value: PropertyValue) -> Number? {
        switch value {
        case .int(let number): .int(number)
        case .bool(let flag): .int(flag ? 1 : 0)
        case .double(let number): .double(number)
        case .float(let number): .double(Double(number))
        case .decimal(let number): Double(number.description).map(Number.double)
        default: nil
        }
    }

    /// The number as a Double; nil for anything else.
    package static func double(_ value: PropertyValue) -> Double? {
        switch number(value) {
        case .int(let number): Double(number)
        case .double(let number): number
        case nil: nil
        }
    }

    /// The text that string operators work on; nil for values that are neither strings nor URIs.
    package static func text(_ value: PropertyValue) -> String? {
        switch value {
        case .string(let text): text
        case .uri(let url): url.absoluteString
        default: nil
        }
    }

    /// Parses the whole text as a decimal. `Decimal(string:)` stops at the first character that it
    /// can't parse.
    package static func decimal(from text: String) -> Decimal? {
        let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
        return isNumber && Double(text) != nil ? Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")) : nil
    }

    /// The name of a value's kind in messages.
    package static func kind(of value: PropertyValue) -> String {
        switch value {
        case .null: "nil"
        case .int, .double, .float, .decimal: "number"
        case .bool: "boolean"
        case .date: "date"
        case .string: "string"
        case .data, .large: "binary value"
        case .uuid: "UUID"
        case .uri: "URI"
        case .composite: "composite"
        case .object: "reference"
        case .list: "list"
        }
    }
}
