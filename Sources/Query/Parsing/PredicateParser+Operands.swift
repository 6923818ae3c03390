import Foundation
import Schema

// Operands: arithmetic by precedence, then postfix (paths and elements), then primaries.
extension PredicateParser {
    /// An operand whose binary operators have at least `precedence`, or a predicate if it was in
    /// parentheses.
    mutating func operand(precedence: Int = 1) throws -> Node {
        try enter()
        var left = try unary()
        while let (function, own) = infixFunction(), own >= precedence,
            case .expression(let leftExpression) = left.content
        {
            try advance()
            let right = try operand(precedence: own + 1)
            let tree = QueryExpression.function(function.rawValue, [leftExpression, try expression(right)])
            left = try deeper(.expression(tree), than: max(left.depth, right.depth), start: left.start)
        }
        leave()
        return left
    }

    private func infixFunction() -> (QueryFunction, Int)? {
        guard case .symbol(let symbol) = token.kind else { return nil }
        let function: QueryFunction
        switch symbol {
        case .plus: function = .add
        case .minus: function = .subtract
        case .times: function = .multiply
        case .divide: function = .divide
        case .bitAnd: function = .bitAnd
        case .bitOr: function = .bitOr
        case .bitXor: function = .bitXor
        case .shiftLeft: function = .shiftLeft
        case .shiftRight: function = .shiftRight
        default: return nil
        }
        return function.infix.map { (function, $0.precedence) }
    }

    private mutating func unary() throws -> Node {
        let start = token.start
        if token.is(.minus) {
            try advance()
            if case .integer(let magnitude) = token.kind, magnitude == Int64.min.magnitude {
                try advance()
                return Node(content: .expression(.constant(.int(.min))), depth: 1, start: start)
            }
            try enter()
            let node = try unary()
            leave()
            // −5 is a constant. Any other operand is subtracted from zero, so that negation needs
            // no function.
            switch try expression(node) {
            case .constant(.int(let value)):
                return Node(content: .expression(.constant(.int(0 &- value))), depth: 1, start: start)
            case .constant(.double(let value)):
                return Node(content: .expression(.constant(.double(-value))), depth: 1, start: start)
            case let other:
                let tree = QueryExpression.function(QueryFunction.subtract.rawValue, [.constant(.int(0)), other])
                return try deeper(.expression(tree), than: node.depth, start: start)
            }
        }
        if token.is(.complement) {
            try advance()
            try enter()
            let node = try unary()
            leave()
            return try deeper(
                .expression(.function(QueryFunction.complement.rawValue, [try expression(node)])), than: node.depth,
                start: start)
        }
        return try power()
    }

    private mutating func power() throws -> Node {
        let base = try postfix()
        guard token.is(.power), case .expression(let baseExpression) = base.content else { return base }
        try advance()
        try enter()
        let exponent = try unary()
        leave()
        let tree = QueryExpression.function(QueryFunction.power.rawValue, [baseExpression, try expression(exponent)])
        return try deeper(.expression(tree), than: max(base.depth, exponent.depth), start: base.start)
    }

    private mutating func postfix() throws -> Node {
        var node = try primary()
        while case .expression(let base) = node.content {
            if token.is(.dot) {
                try advance()
                let components = try pathComponents()
                if case .keyPath(let root, let first) = base {
                    node.content = .expression(.keyPath(base: root, components: first + components))
                } else {
                    node = try deeper(
                        .expression(.keyPath(base: base, components: components)), than: node.depth, start: node.start)
                }
            } else if token.is(.openBracket) {
                try advance()
                let index: QueryExpression.Index
                var depth = 0
                if token.isWord("FIRST") {
                    (index, _) = (.first, try advance())
                } else if token.isWord("LAST") {
                    (index, _) = (.last, try advance())
                } else if token.isWord("SIZE") {
                    (index, _) = (.size, try advance())
                } else {
                    let position = try operand()
                    depth = position.depth
                    index = .at(try expression(position))
                }
                try expect(.closeBracket)
                node = try deeper(
                    .expression(.element(of: base, index)), than: max(node.depth, depth), start: node.start)
            } else {
                break
            }
        }
        return node
    }

    /// The key after a dot, or the keys of a `%K`.
    private mutating func pathComponents() throws -> [String] {
        switch token.kind {
        case .identifier(let name, _):
            try advance()
            return [name]
        case .keyword:
            let name = lexer.slice(token.start, token.end)
            try advance()
            return [name]
        case .placeholder(.keyPath):
            return try keyPathArgument()
        default:
            throw unexpected("a key")
        }
    }

    private mutating func keyPathArgument() throws -> [String] {
        guard case .string(let path) = try nextArgument() else {
            throw lexer.error("%K takes a key path as a string", at: token.start, code: .argument)
        }
        let components = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard components.allSatisfy({ !$0.isEmpty }) else {
            throw lexer.error("%K takes a key path, not \"\(path)\"", at: token.start, code: .argument)
        }
        try advance()
        return components
    }

    private mutating func primary() throws -> Node {
        let start = token.start
        switch token.kind {
        case .symbol(.openParenthesis):
            try advance()
            var node = try disjunction()
            try expect(.closeParenthesis)
            node.start = start
            return node
        case .symbol(.openBrace):
            return try list()
        case .integer(let magnitude):
            try advance()
            return leaf(
                .constant(Int64(exactly: magnitude).map(PropertyValue.int) ?? .double(Double(magnitude))), start)
        case .number(let value):
            try advance()
            return leaf(.constant(.double(value)), start)
        case .string(let text):
            try advance()
            return leaf(.constant(.string(text)), start)
        case .variable(let name):
            try advance()
            return leaf(.variable(name), start)
        case .placeholder(let placeholder):
            return try argument(placeholder)
        case .keyword(let keyword):
            let content: Node.Content
            switch keyword {
            case .null, .nil: content = .expression(.constant(.null))
            case .true, .yes: content = .expression(.constant(.int(1)))
            case .false, .no: content = .expression(.constant(.int(0)))
            case .self: content = .expression(.evaluatedObject)
            case .truePredicate: content = .predicate(.constant(true))
            case .falsePredicate: content = .predicate(.constant(false))
            default: throw unexpected("a value")
            }
            try advance()
            return Node(content: content, depth: 1, start: start)
        case .identifier(let name, let isEscaped):
            let isAnyKey = token.isWord("ANYKEY")
            try advance()
            if !isEscaped, token.is(.openParenthesis) || token.is(.colon) { return try call(name, start: start) }
            if isAnyKey { throw lexer.error("ANYKEY is not supported", at: start, code: .unsupported) }
            return leaf(.keyPath(base: nil, components: [name]), start)
        case .symbol, .end:
            throw unexpected("a value")
        }
    }

    private func leaf(_ expression: QueryExpression, _ start: Int) -> Node {
        Node(content: .expression(expression), depth: 1, start: start)
    }

    /// A list of constants becomes one constant, like an array that is passed as an argument.
    private mutating func list() throws -> Node {
        let start = token.start
        try advance()
        var elements: [QueryExpression] = []
        var depth = 0
        while !token.is(.closeBrace) {
            if !elements.isEmpty {
                guard token.is(.comma) else { throw unexpected(", or }") }
                try advance()
            }
            let element = try operand()
            depth = max(depth, element.depth)
            elements.append(try expression(element))
        }
        try advance()
        var constants: [PropertyValue] = []
        for case .constant(let value) in elements { constants.append(value) }
        return try deeper(
            .expression(constants.count == elements.count ? .constant(.list(constants)) : .aggregate(elements)),
            than: depth, start: start)
    }

    private mutating func argument(_ placeholder: PredicateToken.Placeholder) throws -> Node {
        let start = token.start
        if case .keyPath = placeholder { return leaf(.keyPath(base: nil, components: try keyPathArgument()), start) }
        if case .value = placeholder, let expression = nextExpression() {
            try advance()
            return leaf(expression, start)
        }
        let value = try nextArgument()
        let constant: PropertyValue?
        switch (placeholder, value) {
        case (.value, _): constant = value
        case (.integer, .int), (.number, .double), (.text, .string): constant = value
        case (.integer, .bool(let flag)): constant = .int(flag ? 1 : 0)
        case (.integer, .double(let number)):
            constant = Int64(exactly: number.rounded(.towardZero)).map(PropertyValue.int)
        case (.number, .int(let number)): constant = .double(Double(number))
        case (.integer, .float), (.integer, .decimal), (.number, .float), (.number, .decimal):
            let number = ScalarRules.double(value) ?? .nan
            if case .number = placeholder {
                constant = .double(number)
            } else {
                constant = Int64(exactly: number.rounded(.towardZero)).map(PropertyValue.int)
            }
        case (.character, .string(let text)): constant = text.count == 1 ? value : nil
        case (.character, .int(let code)):
            constant = UInt32(exactly: code).flatMap(UnicodeScalar.init).map { .string(String($0)) }
        default: constant = nil
        }
        guard let constant else {
            throw lexer.error("The argument does not suit this placeholder", at: start, code: .argument)
        }
        try advance()
        return leaf(.constant(constant), start)
    }
}
