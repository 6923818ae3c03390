import Schema

// Aggregates over the selected objects, in validated expressions.
extension QueryExpression {
    /// The function and its argument if this is an aggregate over objects. Aggregates over
    /// collections are paths, and aggregates over lists have a list as their argument.
    package var rowAggregate: (function: QueryFunction, argument: QueryExpression)? {
        guard case .function(let name, let arguments) = self, arguments.count == 1,
            let function = QueryFunction(rawValue: name), function.isAggregate
        else { return nil }
        switch arguments[0] {
        case .aggregate, .constant(.list): return nil
        default: return (function, arguments[0])
        }
    }

    /// Whether the expression contains an aggregate over objects.
    package var aggregatesRows: Bool {
        var found = false
        _ = FetchPredicate.replacing(self) { expression, _ in
            if expression.rowAggregate != nil { found = true }
            return found ? expression : nil
        }
        return found
    }

    /// Whether the expression has one value for all objects of a group. This is true for
    /// aggregates, constants, `groups` and paths that continue from them.
    func isConstant(inGroupsBy groups: [QueryExpression]) -> Bool {
        var isConstant = true
        _ = FetchPredicate.replacing(self) { expression, bound in
            if !isConstant || expression.rowAggregate != nil || groups.contains(expression) { return expression }
            switch expression {
            case .evaluatedObject: isConstant = groups.contains(.evaluatedObject)
            case .keyPath(nil, let components):
                // A path from an object that is grouped by has the same value for the whole group.
                isConstant =
                    groups.contains(.evaluatedObject)
                    || (1..<components.count).contains {
                        groups.contains(.keyPath(base: nil, components: Array(components[..<$0])))
                    }
            default: return nil
            }
            return expression
        }
        return isConstant
    }
}

extension FetchPredicate {
    func isConstant(inGroupsBy groups: [QueryExpression]) -> Bool {
        var isConstant = true
        _ = replacing { expression, _ in
            if !expression.isConstant(inGroupsBy: groups) { isConstant = false }
            return expression
        }
        return isConstant
    }
}
