import Foundation
import Schema

/// Prints trees as predicate text in Apple's form: `==` for equality, double quotes, parentheses
/// around compounds inside compounds, and `#` before reserved words.
///
/// Parsing the text gives an equal tree if the tree has the canonical form that parsing and
/// arguments produce: chains of one connective are flat and have at least two parts, lists of
/// constants are one constant, booleans are 1 and 0, and Floats are Doubles. Other trees parse to
/// their canonical form. A constant reference is printed as a cast of its URI, which can be
/// resolved only when the predicate is validated with the reference's store.
struct PredicatePrinter {
    private(set) var text = ""

    // MARK: Predicates

    mutating func write(_ predicate: FetchPredicate) {
        switch predicate {
        case .constant(let value): text += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .not(let inner):
            text += "NOT "
            writePart(inner)
        case .and(let parts): write(parts, joinedBy: " AND ", empty: true)
        case .or(let parts): write(parts, joinedBy: " OR ", empty: false)
        case .comparison(let comparison): write(comparison)
        }
    }

    private mutating func write(_ parts: [FetchPredicate], joinedBy separator: String, empty: Bool) {
        if parts.isEmpty { return write(.constant(empty)) }
        if parts.count == 1 { return write(parts[0]) }
        for (index, part) in parts.enumerated() {
            if index > 0 { text += separator }
            writePart(part)
        }
    }

    /// Writes a predicate inside another one. Compounds of several parts need parentheses.
    private mutating func writePart(_ predicate: FetchPredicate) {
        switch predicate {
        case .and(let parts) where parts.count == 1, .or(let parts) where parts.count == 1: writePart(parts[0])
        case .and(let parts) where !parts.isEmpty, .or(let parts) where !parts.isEmpty:
            text += "("
            write(predicate)
            text += ")"
        default: write(predicate)
        }
    }

    private mutating func write(_ comparison: ComparisonPredicate) {
        switch comparison.modifier {
        case .direct: break
        case .any: text += "ANY "
        case .all: text += "ALL "
        }
        write(comparison.left, precedence: 0)
        text += " " + Self.name(of: comparison.operator)
        if !comparison.options.isEmpty {
            text += "["
            if comparison.options.contains(.caseInsensitive) { text += "c" }
            if comparison.options.contains(.diacriticInsensitive) { text += "d" }
            if comparison.options.contains(.normalized) { text += "n" }
            if comparison.options.contains(.localeSensitive) { text += "l" }
            text += "]"
        }
        text += " "
        write(comparison.right, precedence: 0)
    }

    static func name(of operator: ComparisonPredicate.Operator) -> String {
        switch `operator` {
        case .equal: "=="
        case .notEqual: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        case .between: "BETWEEN"
        case .in: "IN"
        case .contains: "CONTAINS"
        case .beginsWith: "BEGINSWITH"
        case .endsWith: "ENDSWITH"
        case .like: "LIKE"
        case .matches: "MATCHES"
        case .search: "SEARCH"
        }
    }

    // MARK: Expressions

    /// The precedence of expressions that never need parentheses, not even before a dot or bracket.
    private static let primary = 8

    /// Writes an expression, in parentheses if its precedence is below `precedence`.
    mutating func write(_ expression: QueryExpression, precedence: Int) {
        let needsParentheses = self.precedence(of: expression) < precedence
        if needsParentheses { text += "(" }
        switch expression {
        case .constant(let value): write(value)
        case .evaluatedObject: text += "SELF"
        case .keyPath(let base, let components): writePath(base, components)
        case .variable(let name): text += "$" + name
        case .aggregate(let elements):
            text += "{"
            writeList(elements)
            text += "}"
        case .function(let name, let arguments): writeFunction(name, arguments)
        case .call(let target, let selector, let arguments):
            text += "FUNCTION("
            write(target, precedence: 0)
            text += ", "
            writeQuoted(selector)
            for argument in arguments {
                text += ", "
                write(argument, precedence: 0)
            }
            text += ")"
        case .subquery(let collection, let variable, let predicate):
            text += "SUBQUERY("
            write(collection, precedence: 0)
            text += ", $\(variable), "
            write(predicate)
            text += ")"
        case .conditional(let predicate, let then, let otherwise):
            text += "TERNARY("
            write(predicate)
            text += ", "
            writeList([then, otherwise])
            text += ")"
        case .cast(let operand, let type):
            text += "CAST("
            write(operand, precedence: 0)
            text += ", "
            writeQuoted(type)
            text += ")"
        case .element(let base, let index):
            text += "("
            write(base, precedence: 0)
            text += ")["
            switch index {
            case .first: text += "FIRST"
            case .last: text += "LAST"
            case .size: text += "SIZE"
            case .at(let position): write(position, precedence: 0)
            }
            text += "]"
        }
        if needsParentheses { text += ")" }
    }

    private func precedence(of expression: QueryExpression) -> Int {
        switch expression {
        case .constant(.int(let value)): value < 0 ? QueryFunction.unaryPrecedence : Self.primary - 1
        case .constant(.double(let value)): value.sign == .minus ? QueryFunction.unaryPrecedence : Self.primary - 1
        case .constant, .aggregate: Self.primary - 1
        case .function(let name, let arguments):
            if let infix = infix(name, arguments) {
                infix.precedence
            } else if name == QueryFunction.complement.rawValue {
                QueryFunction.unaryPrecedence
            } else {
                Self.primary
            }
        default: Self.primary
        }
    }

    private func infix(_ name: String, _ arguments: [QueryExpression]) -> (symbol: String, precedence: Int)? {
        arguments.count == 2 ? QueryFunction(rawValue: name)?.infix : nil
    }

    private mutating func writeFunction(_ name: String, _ arguments: [QueryExpression]) {
        if let infix = infix(name, arguments) {
            // All operators are left-associative except `**`.
            let isPower = name == QueryFunction.power.rawValue
            write(arguments[0], precedence: isPower ? Self.primary - 1 : infix.precedence)
            text += " \(infix.symbol) "
            write(arguments[1], precedence: isPower ? QueryFunction.unaryPrecedence : infix.precedence + 1)
        } else if name == QueryFunction.complement.rawValue, arguments.count == 1 {
            text += "~"
            write(arguments[0], precedence: QueryFunction.unaryPrecedence)
        } else {
            text += name + "("
            writeList(arguments)
            text += ")"
        }
    }

    private mutating func writeList(_ expressions: [QueryExpression]) {
        for (index, expression) in expressions.enumerated() {
            if index > 0 { text += ", " }
            write(expression, precedence: 0)
        }
    }

    private mutating func writePath(_ base: QueryExpression?, _ components: [String]) {
        if let base {
            write(base, precedence: Self.primary)
            text += "."
        }
        for (index, component) in components.enumerated() {
            if index > 0 { text += "." }
            writeKey(component)
        }
    }

    private mutating func writeKey(_ key: String) {
        let plain = key.hasPrefix("@") ? String(key.dropFirst()) : key
        guard PredicateLexer.isPlainName(plain) else {
            text += "#"
            return writeQuoted(key)
        }
        let upper = plain.uppercased()
        let isReserved =
            key == plain
            && (PredicateToken.Keyword(rawValue: upper) != nil || PredicateToken.contextualWords.contains(upper)
                || upper == "UTI")
        text += (isReserved ? "#" : "") + key
    }

    // MARK: Constants

    private mutating func write(_ value: PropertyValue) {
        switch value {
        case .null: text += "nil"
        case .int(let number): text += number.description
        case .bool(let flag): text += flag ? "1" : "0"
        case .double(let number): write(number)
        case .float(let number): write(Double(number))
        case .string(let string): writeQuoted(string)
        case .decimal(let number): writeCast(.decimal) { $0.writeQuoted(number.description) }
        case .date(let date): writeCast(.date) { $0.write(date.timeIntervalSinceReferenceDate) }
        case .uuid(let uuid): writeCast(.uuid) { $0.writeQuoted(uuid.uuidString) }
        case .uri(let url): writeCast(.uri) { $0.writeQuoted(url.absoluteString) }
        case .data(let bytes): writeCast(.data) { $0.writeQuoted(bytes.base64EncodedString()) }
        case .object(let id): writeCast(.object) { $0.writeQuoted(id.description) }
        case .large(let large):
            // The value of a large-value file is printed as its file name. Printing must not read
            // the file.
            if let name = large.fileName {
                text += "CAST("
                writeQuoted(name)
                text += ", \"LargeValue\")"
            } else if let bytes = try? large.data() {
                write(.data(bytes))
            }
        case .composite(let elements):
            text += "CAST("
            write(.list(elements.sorted { $0.key < $1.key }.map { .list([.string($0.key), $0.value]) }))
            text += ", \"Composite\")"
        case .list(let elements):
            text += "{"
            for (index, element) in elements.enumerated() {
                if index > 0 { text += ", " }
                write(element)
            }
            text += "}"
        }
    }

    private mutating func writeCast(_ type: CastType, _ operand: (inout PredicatePrinter) -> Void) {
        text += "CAST("
        operand(&self)
        text += ", \"\(type.name)\")"
    }

    private mutating func write(_ number: Double) {
        text += number.isFinite ? number.description : "CAST(\"\(number)\", \"NSNumber\")"
    }

    private mutating func writeQuoted(_ string: String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case _ where scalar.value < 0x20 || scalar.value == 0x7F:
                text += "\\u{" + String(scalar.value, radix: 16) + "}"
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
