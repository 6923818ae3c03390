internal import Coding
internal import Schema

extension CompiledModelWriter {
    private static let comparisonClass = ["NSComparisonPredicate", "NSPredicate", "NSObject"]
    private static let compoundClass = ["NSCompoundPredicate", "NSPredicate", "NSObject"]

    /// Archives format text as a predicate; nil if there is none, or if it uses a part of the
    /// predicate language that models do not need. The text itself is always archived, too.
    mutating func archive(predicate text: String?) -> KeyedArchiveWriter.Reference {
        guard let text, let node = PredicateParser.predicate(text) else { return .null }
        return archive(node)
    }

    /// Archives format text as an expression; see `archive(predicate:)`.
    mutating func archive(expression text: String) -> KeyedArchiveWriter.Reference {
        guard let expression = PredicateParser.expression(text) else { return .null }
        return archive(expression)
    }

    mutating func archive(_ node: PredicateNode) -> KeyedArchiveWriter.Reference {
        switch node {
        case .truth(let isTrue):
            return writer.add(
                class: [isTrue ? "NSTruePredicate" : "NSFalsePredicate", "NSPredicate", "NSObject"], fields: [:])
        case .comparison(let left, let type, let right, let options, let modifier):
            let fields: [String: PropertyListValue] = [
                "NSLeftExpression": archive(left).value, "NSRightExpression": archive(right).value,
                "NSPredicateOperator": comparisonOperator(type, options: options, modifier: modifier).value,
            ]
            return writer.add(class: Self.comparisonClass, fields: fields)
        case .not(let part): return compound(0, [part])
        case .and(let parts): return compound(1, parts)
        case .or(let parts): return compound(2, parts)
        }
    }

    private mutating func compound(_ type: Int64, _ parts: [PredicateNode]) -> KeyedArchiveWriter.Reference {
        let list = writer.add(array: parts.map { archive($0) })
        return writer.add(
            class: Self.compoundClass,
            fields: ["NSCompoundPredicateType": .integer(type), "NSSubpredicates": list.value])
    }

    private mutating func comparisonOperator(_ type: Int64, options: Int64, modifier: Int64)
        -> KeyedArchiveWriter.Reference
    {
        var fields: [String: PropertyListValue] = ["NSOperatorType": .integer(type), "NSModifier": .integer(modifier)]
        let name: String
        switch type {
        case 0...3:
            name = "NSComparisonPredicateOperator"
            fields["NSVariant"] = .integer(type)
            fields["NSOptions"] = .integer(options)
        case 4, 5:
            name = "NSEqualityPredicateOperator"
            fields["NSNegate"] = .boolean(type == 5)
            fields["NSOptions"] = .integer(options)
        case 6:
            name = "NSMatchingPredicateOperator"
            fields["NSFlags"] = .integer(options)
        case 7:
            name = "NSLikePredicateOperator"
            fields["NSFlags"] = .integer(options)
        case 8, 9:
            name = "NSSubstringPredicateOperator"
            fields["NSFlags"] = .integer(options)
            fields["NSSubstringPosition"] = .integer(type == 8 ? 0 : 1)
        case 100: name = "NSBetweenPredicateOperator"
        default:
            name = "NSInPredicateOperator"
            fields["NSFlags"] = .integer(options)
        }
        return writer.add(class: [name, "NSPredicateOperator", "NSObject"], fields: fields)
    }

    // MARK: Expressions

    mutating func archive(_ expression: PredicateNode.Expression) -> KeyedArchiveWriter.Reference {
        switch expression {
        case .evaluatedObject:
            return writer.add(class: ["NSSelfExpression", "NSExpression", "NSObject"], fields: ["NSExpressionType": 1])
        case .variable(let name):
            let fields: [String: PropertyListValue] = [
                "NSExpressionType": 2, "NSVariable": writer.add(string: name).value,
            ]
            return writer.add(class: ["NSVariableExpression", "NSExpression", "NSObject"], fields: fields)
        case .keyPath(let path): return archive(path: path, of: .evaluatedObject)
        case .path(let base, let path): return archive(path: path, of: base)
        case .constant(let value):
            let fields: [String: PropertyListValue] = [
                "NSExpressionType": 0, "NSConstantValue": archive(value: value).value,
            ]
            return writer.add(class: ["NSConstantValueExpression", "NSExpression", "NSObject"], fields: fields)
        case .aggregate(let elements):
            let list = writer.add(array: elements.map { archive($0) })
            return writer.add(
                class: ["NSAggregateExpression", "NSExpression", "NSObject"],
                fields: ["NSExpressionType": 14, "NSCollection": list.value])
        case .function(let selector, let arguments):
            let utilities = writer.add(
                class: ["NSConstantValueExpression", "NSExpression", "NSObject"],
                fields: [
                    "NSExpressionType": 0,
                    "NSConstantValueClassName": writer.add(string: "_NSPredicateUtilities").value,
                ])
            let list = writer.add(array: arguments.map { archive($0) })
            let fields: [String: PropertyListValue] = [
                "NSExpressionType": 4, "NSOperand": utilities.value,
                "NSSelectorName": writer.add(string: selector).value, "NSArguments": list.value,
            ]
            return writer.add(class: ["NSFunctionExpression", "NSExpression", "NSObject"], fields: fields)
        }
    }

    private mutating func archive(path: String, of base: PredicateNode.Expression) -> KeyedArchiveWriter.Reference {
        let specifier = writer.add(
            class: ["NSKeyPathSpecifierExpression", "NSExpression", "NSObject"],
            fields: ["NSExpressionType": 10, "NSKeyPath": writer.add(string: path).value])
        let isSingleKey = base == .evaluatedObject && !path.contains(".")
        let selector = writer.add(string: isSingleKey ? "valueForKey:" : "valueForKeyPath:")
        let list = writer.add(array: [specifier], isMutable: true)
        let fields: [String: PropertyListValue] = [
            "NSExpressionType": isSingleKey ? 3 : 4, "NSOperand": archive(base).value, "NSSelectorName": selector.value,
            "NSArguments": list.value,
        ]
        return writer.add(
            class: ["NSKeyPathExpression", "NSFunctionExpression", "NSExpression", "NSObject"], fields: fields)
    }
}
