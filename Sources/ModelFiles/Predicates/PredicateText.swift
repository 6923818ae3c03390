package import Coding
internal import Foundation

/// Converts archived predicates and expressions to format text.
package struct PredicateText {
    /// The maximum nesting depth. A damaged archive can nest without end, even in cycles.
    private static let maximumDepth = 100

    /// Limits the total amount of text for one predicate. In a damaged archive, a few objects that
    /// refer to each other several times can expand to an exponential amount of text.
    private final class Allowance {
        private var left = 2 << 20

        func take(_ text: String) throws -> String {
            // Every node counts, even if its text is short.
            left -= text.utf8.count + 16
            if left < 0 { throw CodingError(.tooLarge, "a predicate is longer than any that a model needs") }
            return text
        }
    }

    private let allowance = Allowance()

    /// Whether functions are written with the colon of their selector, as in derivation
    /// expressions: `canonical:(name)`.
    private var isDerivation = false

    package init(isDerivation: Bool = false) {
        self.isDerivation = isDerivation
    }

    /// The format text of an archived `NSPredicate`.
    package func predicate(_ object: ArchivedObject) throws -> String {
        try predicate(object, depth: 0)
    }

    /// The format text of an archived `NSExpression`.
    package func expression(_ object: ArchivedObject) throws -> String {
        try expression(object, depth: 0)
    }

    private func predicate(_ object: ArchivedObject, depth: Int) throws -> String {
        try check(depth)
        return try allowance.take(try text(ofPredicate: object, depth))
    }

    private func text(ofPredicate object: ArchivedObject, _ depth: Int) throws -> String {
        switch object.className {
        case "NSTruePredicate": return "TRUEPREDICATE"
        case "NSFalsePredicate": return "FALSEPREDICATE"
        default: break
        }
        if object.isKind(of: "NSComparisonPredicate") { return try comparison(object, depth) }
        if object.isKind(of: "NSCompoundPredicate") { return try compound(object, depth) }
        throw CodingError(.unsupported, "predicates of the class \(object.className ?? "?") can't be read")
    }

    private func compound(_ object: ArchivedObject, _ depth: Int) throws -> String {
        var parts: [String] = []
        for element in try object.object("NSSubpredicates")?.elements() ?? [] {
            guard let element else { continue }
            let text = try predicate(element, depth: depth + 1)
            let isJunction =
                try element.isKind(of: "NSCompoundPredicate") && element.integer("NSCompoundPredicateType") != 0
            parts.append(isJunction ? "(\(text))" : text)
        }
        switch try object.integer("NSCompoundPredicateType") ?? 0 {
        case 0:
            guard let part = parts.first else { throw CodingError(.malformed, "a NOT without a predicate") }
            return "NOT \(part)"
        case 1: return parts.isEmpty ? "TRUEPREDICATE" : parts.joined(separator: " AND ")
        case 2: return parts.isEmpty ? "FALSEPREDICATE" : parts.joined(separator: " OR ")
        case let type: throw CodingError(.unsupported, "compound predicates of type \(type) can't be read")
        }
    }

    private func comparison(_ object: ArchivedObject, _ depth: Int) throws -> String {
        let left = try expression(try object.required("NSLeftExpression"), depth: depth + 1)
        let right = try expression(try object.required("NSRightExpression"), depth: depth + 1)
        let oper = try object.required("NSPredicateOperator")
        let type = try oper.integer("NSOperatorType") ?? 4
        guard let symbol = Self.operators[type] else {
            throw CodingError(.unsupported, "comparisons of type \(type) can't be read")
        }
        let options = try oper.integer("NSOptions") ?? oper.integer("NSFlags") ?? 0
        let letters = [(1, "c"), (2, "d"), (4, "n"), (8, "l")].filter { options & Int64($0.0) != 0 }.map(\.1).joined()
        let modifier = [1: "ALL ", 2: "ANY "][try oper.integer("NSModifier") ?? 0] ?? ""
        return "\(modifier)\(left) \(symbol)\(letters.isEmpty ? "" : "[\(letters)]") \(right)"
    }

    static let operators: [Int64: String] = [
        0: "<", 1: "<=", 2: ">", 3: ">=", 4: "==", 5: "!=", 6: "MATCHES", 7: "LIKE", 8: "BEGINSWITH", 9: "ENDSWITH",
        10: "IN", 99: "CONTAINS",
        100: "BETWEEN",
    ]

    // MARK: Expressions

    private func expression(_ object: ArchivedObject, depth: Int) throws -> String {
        try check(depth)
        return try allowance.take(try text(ofExpression: object, depth))
    }

    private func text(ofExpression object: ArchivedObject, _ depth: Int) throws -> String {
        switch object.className {
        case "NSSelfExpression": return "SELF"
        case "NSVariableExpression", "NSVariableAssignmentExpression":
            return "$" + (try object.string("NSVariable") ?? "")
        case "NSKeyPathSpecifierExpression": return Self.keyPath(try object.string("NSKeyPath") ?? "")
        case "NSAnyKeyExpression": return "ANYKEY"
        case "NSConstantValueExpression": return try constant(object, depth)
        case "NSAggregateExpression":
            return "{" + (try list(try object.required("NSCollection").elements() ?? [], depth).joined(separator: ", "))
                + "}"
        case "NSSetExpression", "NSUnionSetExpression", "NSIntersectSetExpression", "NSMinusSetExpression":
            let left = try expression(try object.required("NSLeftExpression"), depth: depth + 1)
            let right = try expression(try object.required("NSRightExpression"), depth: depth + 1)
            return
                "\(left) \([5: "UNION", 6: "INTERSECT"][try object.integer("NSExpressionType") ?? 7] ?? "MINUS") \(right)"
        case "NSTernaryExpression":
            let test = try predicate(try object.required("NSPredicate"), depth: depth + 1)
            let yes = try expression(try object.required("NSTrueExpression"), depth: depth + 1)
            let no = try expression(try object.required("NSFalseExpression"), depth: depth + 1)
            return "TERNARY(\(test), \(yes), \(no))"
        case "NSSubqueryExpression": return try subquery(object, depth)
        default: break
        }
        if object.isKind(of: "NSFunctionExpression") { return try function(object, depth) }
        throw CodingError(.unsupported, "expressions of the class \(object.className ?? "?") can't be read")
    }

    private func function(_ object: ArchivedObject, _ depth: Int) throws -> String {
        let selector = try object.string("NSSelectorName") ?? ""
        let operand = try object.object("NSOperand")
        let arguments = try list(try object.object("NSArguments")?.elements() ?? [], depth)
        if object.isKind(of: "NSKeyPathExpression") || selector == "valueForKey:" || selector == "valueForKeyPath:" {
            let path = arguments.first ?? ""
            guard let operand, operand.className != "NSSelfExpression" else { return path }
            return "\(try expression(operand, depth: depth + 1)).\(path)"
        }
        guard try operand?.string("NSConstantValueClassName") == "_NSPredicateUtilities" else {
            let target = try operand.map { try expression($0, depth: depth + 1) } ?? "SELF"
            return "FUNCTION(\(([target, Self.quoted(selector)] + arguments).joined(separator: ", ")))"
        }
        if let symbol = Self.arithmetic[selector], arguments.count == 2 {
            return "(\(arguments[0]) \(symbol) \(arguments[1]))"
        }
        switch (selector, arguments.count) {
        case ("count:", 1): return "\(arguments[0]).@count"
        case ("castObject:toType:", 2): return "CAST(\(arguments[0]), \(arguments[1]))"
        case ("objectFrom:withIndex:", 2): return "\(arguments[0])[\(arguments[1])]"
        default: break
        }
        let name = isDerivation || !selector.hasSuffix(":") ? selector : String(selector.dropLast())
        return "\(name)(\(arguments.joined(separator: ", ")))"
    }

    private static let arithmetic = [
        "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/", "raise:toPower:": "**",
    ]

    private func subquery(_ object: ArchivedObject, _ depth: Int) throws -> String {
        let collection = try object.object("NSCollectionExpression") ?? object.required("NSCollection")
        let predicate = try object.object("NSSubqueryPredicate") ?? object.required("NSPredicate")
        let variable =
            try object.string("NSVariable") ?? object.object("NSVariableExpression")?.string("NSVariable") ?? "x"
        return
            "SUBQUERY(\(try expression(collection, depth: depth + 1)), $\(variable), \(try self.predicate(predicate, depth: depth + 1)))"
    }

    private func constant(_ object: ArchivedObject, _ depth: Int) throws -> String {
        if let name = try object.string("NSConstantValueClassName") { return Self.quoted(name) }
        guard let value = try object.object("NSConstantValue"), !value.isNull else { return "nil" }
        return try literal(value, depth)
    }

    private func literal(_ value: ArchivedObject, _ depth: Int) throws -> String {
        try check(depth)
        return try allowance.take(try text(ofLiteral: value, depth))
    }

    private func text(ofLiteral value: ArchivedObject, _ depth: Int) throws -> String {
        if let text = value.string { return Self.quoted(text) }
        switch value.number {
        case .integer(let number): return "\(number)"
        case .unsigned(let number): return "\(number)"
        case .real(let number): return "\(number)"
        case .boolean(let flag): return flag ? "YES" : "NO"
        default: break
        }
        if let decimal = value.decimal { return "\(decimal)" }
        if let date = value.date { return "CAST(\(date.timeIntervalSinceReferenceDate), \"NSDate\")" }
        if let uuid = value.uuid { return "CAST(\"\(uuid.uuidString)\", \"NSUUID\")" }
        if let url = value.url { return "CAST(\(Self.quoted(url.absoluteString)), \"NSURL\")" }
        if let elements = try value.elements() {
            var parts: [String] = []
            for element in elements { parts.append(try element.map { try literal($0, depth + 1) } ?? "nil") }
            return "{\(parts.joined(separator: ", "))}"
        }
        throw CodingError(.unsupported, "constants of the class \(value.className ?? "?") can't be read")
    }

    private func list(_ elements: [ArchivedObject?], _ depth: Int) throws -> [String] {
        var parts: [String] = []
        for element in elements {
            guard let element else { throw CodingError(.malformed, "an expression is missing") }
            parts.append(
                element.classChain.isEmpty || !element.isKind(of: "NSExpression")
                    ? try literal(element, depth + 1) : try expression(element, depth: depth + 1))
        }
        return parts
    }

    private func check(_ depth: Int) throws {
        guard depth < Self.maximumDepth else {
            throw CodingError(.tooDeep, "a predicate nests more than \(Self.maximumDepth) deep")
        }
    }

    // MARK: Text

    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    /// A key path in which keys that are reserved words have the prefix `#`.
    static func keyPath(_ path: String) -> String {
        path.split(separator: ".", omittingEmptySubsequences: false).map { key in
            reserved.contains(key.uppercased()) ? "#\(key)" : String(key)
        }.joined(separator: ".")
    }

    static let reserved: Set<String> = [
        "AND", "OR", "NOT", "IN", "ANY", "ALL", "SOME", "NONE", "LIKE", "MATCHES", "CONTAINS", "BEGINSWITH", "ENDSWITH",
        "BETWEEN", "CAST", "NULL", "NIL",
        "TRUE", "FALSE", "YES", "NO", "SELF", "FIRST", "LAST", "SIZE", "ANYKEY", "SUBQUERY", "TERNARY", "FUNCTION",
        "FETCH", "UNION", "INTERSECT", "MINUS",
        "TRUEPREDICATE", "FALSEPREDICATE",
    ]
}
