import Schema

// Syntax of the form NAME(…).
extension PredicateParser {
    /// The current token is the parenthesis or colon after `first`.
    mutating func call(_ first: String, start: Int) throws -> Node {
        if token.is(.openParenthesis) {
            switch first.uppercased() {
            case "SUBQUERY": return try subquery(start)
            case "TERNARY": return try ternary(start)
            case "CAST": return try cast(start)
            case "FUNCTION": return try functionCall(start)
            case "FETCH": throw lexer.error("FETCH expressions are not supported", at: start, code: .unsupported)
            default: break
            }
        }
        var name = first
        while token.is(.colon) {
            name += ":"
            try advance()
            if token.is(.openParenthesis) { break }
            switch token.kind {
            case .identifier(let part, _): name += part
            case .keyword: name += lexer.slice(token.start, token.end)
            default: throw unexpected("(")
            }
            try advance()
            guard token.is(.colon) else { throw unexpected(":") }
        }
        var (arguments, depth) = try arguments()
        guard let function = QueryFunction(written: name) else {
            let near = NearestNames.nearest(to: name, among: QueryFunction.allCases.map(\.rawValue))
            var error = lexer.error(
                "There is no function \(name)" + NearestNames.question(near), at: start, code: .unsupported)
            error.suggestions = near
            throw error
        }
        // hour(date, zone) is hour(local(date, zone)).
        if function.isDatePart, arguments.count == 2 {
            arguments = [.function(QueryFunction.local.rawValue, arguments)]
            depth += 1
        }
        guard arguments.count == function.argumentCount else {
            throw lexer.error(
                "\(function.rawValue) takes \(function.argumentCount) argument\(function.argumentCount == 1 ? "" : "s"), not \(arguments.count)",
                at: start)
        }
        return try deeper(.expression(.function(function.rawValue, arguments)), than: depth, start: start)
    }

    /// `(a, b)`, parentheses included.
    private mutating func arguments() throws -> ([QueryExpression], depth: Int) {
        try expect(.openParenthesis)
        var result: [QueryExpression] = []
        var depth = 0
        while !token.is(.closeParenthesis) {
            if !result.isEmpty {
                guard token.is(.comma) else { throw unexpected(", or )") }
                try advance()
            }
            let node = try disjunction()
            depth = max(depth, node.depth)
            result.append(try expression(node))
        }
        try advance()
        return (result, depth)
    }

    private mutating func subquery(_ start: Int) throws -> Node {
        try advance()
        let collection = try disjunction()
        let collectionExpression = try expression(collection)
        try expect(.comma)
        guard case .variable(let variable) = token.kind else { throw unexpected("a variable such as $x") }
        try advance()
        try expect(.comma)
        let condition = try disjunction()
        let predicate = try predicate(condition)
        try expect(.closeParenthesis)
        return try deeper(
            .expression(.subquery(collection: collectionExpression, variable: variable, predicate: predicate)),
            than: max(collection.depth, condition.depth), start: start)
    }

    private mutating func ternary(_ start: Int) throws -> Node {
        try advance()
        let condition = try disjunction()
        let predicate = try predicate(condition)
        try expect(.comma)
        let then = try disjunction()
        let thenExpression = try expression(then)
        try expect(.comma)
        let otherwise = try disjunction()
        let otherwiseExpression = try expression(otherwise)
        try expect(.closeParenthesis)
        return try deeper(
            .expression(.conditional(predicate, thenExpression, otherwiseExpression)),
            than: max(condition.depth, then.depth, otherwise.depth), start: start)
    }

    /// A cast of a literal that can be converted becomes a constant. This is the syntax for dates
    /// and other values that have no literal.
    private mutating func cast(_ start: Int) throws -> Node {
        try advance()
        let operand = try disjunction()
        let operandExpression = try expression(operand)
        try expect(.comma)
        let type = try selector()
        try expect(.closeParenthesis)
        if case .constant(let value) = operandExpression, let constant = CastType(name: type)?.literal(value) {
            return Node(content: .expression(.constant(constant)), depth: 1, start: start)
        }
        return try deeper(.expression(.cast(operandExpression, type)), than: operand.depth, start: start)
    }

    private mutating func functionCall(_ start: Int) throws -> Node {
        try advance()
        let target = try disjunction()
        let targetExpression = try expression(target)
        try expect(.comma)
        let selector = try selector()
        var arguments: [QueryExpression] = []
        var depth = target.depth
        while token.is(.comma) {
            try advance()
            let argument = try disjunction()
            depth = max(depth, argument.depth)
            arguments.append(try expression(argument))
        }
        guard token.is(.closeParenthesis) else { throw unexpected(", or )") }
        try advance()
        return try deeper(
            .expression(.call(target: targetExpression, selector: selector, arguments: arguments)), than: depth,
            start: start)
    }

    /// A string: a literal or an argument.
    private mutating func selector() throws -> String {
        switch token.kind {
        case .string(let text):
            try advance()
            return text
        case .placeholder(.value), .placeholder(.text):
            guard case .string(let text) = try nextArgument() else {
                throw lexer.error("A string must take this place", at: token.start, code: .argument)
            }
            try advance()
            return text
        default:
            throw unexpected("a name in quotes")
        }
    }
}
