import Foundation
import Query
import Schema
import Testing

@Suite("Predicate text: printing (P18–P20)")
struct PrinterTests {
    @Test(
        "Apple's form",
        arguments: [
            ("a = 1", "a == 1"), ("a<>'x'", "a != \"x\""), ("a=1&&(b=2||c=3)", "a == 1 AND (b == 2 OR c == 3)"),
            ("not(a=1 and b=2)", "NOT (a == 1 AND b == 2)"),
            ("NONE a.b > 3", "NOT ANY a.b > 3"), ("SELF.g[0] == 1", "(SELF.g)[0] == 1"),
            ("a like[DC] 'x*'", "a LIKE[cd] \"x*\""),
            ("a between {1,2}", "a BETWEEN {1, 2}"), ("a+b*c-d > 1", "a + b * c - d > 1"),
            ("(a+b)*c > -1", "(a + b) * c > -1"), ("a == nil", "a == nil"),
            ("flag == YES", "flag == 1"), ("a.@count > 0", "a.@count > 0"), ("#in.#like == 1", "#in.#like == 1"),
            ("size == 1", "#size == 1"),
            ("SUBQUERY(a,$x,$x.b==1).@count>0", "SUBQUERY(a, $x, $x.b == 1).@count > 0"),
            ("ternary(a=1,b,c)=1", "TERNARY(a == 1, b, c) == 1"),
            ("a == CAST(5, 'NSDate')", "a == CAST(5.0, \"NSDate\")"), ("now() > a", "now() > a"),
            ("uppercase(a) = 'X'", "uppercase:(a) == \"X\""),
            ("a ** b ** c == (a ** b) ** c", "a ** b ** c == (a ** b) ** c"), ("a - (b - c) > 0", "a - (b - c) > 0"),
            ("truepredicate", "TRUEPREDICATE"),
        ])
    func appleForm(text: String, printed: String) throws {
        let predicate = try FetchPredicate(format: text)
        #expect(predicate.predicateFormat == printed)
        #expect(try FetchPredicate(format: printed) == predicate)
    }

    @Test("P20: constants of every kind read back")
    func constants() throws {
        let values: [PropertyValue] = [
            .null, .int(.min), .int(.max), .int(-1), .double(1), .double(-0.5), .double(1e300),
            .double(.leastNonzeroMagnitude), .double(.infinity), .double(-.infinity),
            .decimal(Decimal(string: "-123456789012345678901234567890.12345678")!),
            .date(Date(timeIntervalSinceReferenceDate: -0.1)), .string("a\"b'c\\d\n\t\r\u{1}\u{7F}é😀"),
            .string(#"\d+\u00e9"#), .data(Data([0, 1, 255])), .data(Data()), .uuid(UUID()),
            .uri(URL(string: "https://example.org/a%20b?c=d")!),
            .list([.int(1), .list([.string("a"), .null]), .date(Date(timeIntervalSinceReferenceDate: 7))]), .list([]),
        ]
        for value in values {
            let predicate = FetchPredicate.comparison(ComparisonPredicate(.keyPath("a"), .equal, .constant(value)))
            #expect(try FetchPredicate(format: predicate.predicateFormat) == predicate, "\(predicate)")
        }
    }

    @Test("P20: keys that are no names read back")
    func keys() throws {
        for key in ["a b", "1a", "a-b", "größe", "", "self", "SELF", "@count", "@#", "it's", "UTI", "$x", "ternary"] {
            let predicate = FetchPredicate.comparison(
                ComparisonPredicate(.keyPath(base: nil, components: ["x", key, key]), .equal, .constant(.int(1))))
            #expect(try FetchPredicate(format: predicate.predicateFormat) == predicate, "\(predicate)")
        }
    }

    @Test("P20: random trees read back as equal trees")
    func randomTrees() throws {
        var trees = RandomTrees(seed: 42)
        for _ in 0..<4_000 {
            let predicate = trees.predicate(depth: 5)
            let text = predicate.predicateFormat
            let again = Result { try FetchPredicate(format: text) }
            guard case .success(predicate) = again else {
                Issue.record("\(text) reads as \(again)")
                return
            }
        }
    }
}

/// Trees in the canonical form that parsing makes.
private struct RandomTrees {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }

    private mutating func pick<T>(_ values: [T]) -> T { values[next(values.count)] }

    mutating func predicate(depth: Int) -> FetchPredicate {
        switch depth > 0 ? next(8) : 0 {
        case 1: return .not(predicate(depth: depth - 1))
        case 2: return .and(parts(depth) { if case .and = $0 { true } else { false } })
        case 3: return .or(parts(depth) { if case .or = $0 { true } else { false } })
        case 4: return .constant(next(2) == 0)
        default:
            let options = ComparisonPredicate.Options(rawValue: next(16))
            return .comparison(
                ComparisonPredicate(
                    expression(depth: depth), pick(ComparisonPredicate.Operator.allCases), expression(depth: depth),
                    modifier: pick([.direct, .direct, .any, .all]),
                    options: options))
        }
    }

    private mutating func parts(_ depth: Int, excluded: (FetchPredicate) -> Bool) -> [FetchPredicate] {
        var parts: [FetchPredicate] = []
        while parts.count < 2 || next(3) == 0 {
            let part = predicate(depth: depth - 1)
            if !excluded(part) { parts.append(part) }
        }
        return parts
    }

    private mutating func constant() -> PropertyValue {
        switch next(8) {
        case 0: .null
        case 1: .int(Int64(next(200)) - 100)
        case 2: .double(Double(next(2000) - 1000) / 16)
        case 3: .string(pick(["", "x", "it's", "\"q\"", "back\\slash", "\n", "%@", "é"]))
        case 4: .date(Date(timeIntervalSinceReferenceDate: Double(next(1000)) / 4))
        case 5: .list([.int(1), .string("b")])
        case 6: .decimal(Decimal(next(1000)) / 100)
        default: .int(Int64(next(10)))
        }
    }

    private mutating func path() -> [String] {
        (0...next(3)).map { _ in
            pick(["a", "name", "in", "first", "SELF", "a b", "@count", "@sum", "größe", "not", "like"])
        }
    }

    private mutating func expression(depth: Int) -> QueryExpression {
        guard depth > 0 else { return next(2) == 0 ? .constant(constant()) : .keyPath(base: nil, components: path()) }
        let below = depth - 1
        switch next(14) {
        case 0: return .constant(constant())
        case 1: return .evaluatedObject
        case 2: return .keyPath(base: pick([.evaluatedObject, .variable("v")]), components: path())
        case 3: return .variable(pick(["v", "FETCH_SOURCE", "in"]))
        case 4: return .aggregate([expression(depth: below), .keyPath("k")])
        case 5:
            let function = pick(QueryFunction.allCases)
            var arguments = (0..<function.argumentCount).map { _ in expression(depth: below) }
            // "0 - 5" is how a minus that is no sign reads; a sign before a literal makes another
            // literal.
            if function == .complement, arguments.isEmpty { arguments = [.keyPath("k")] }
            return .function(function.rawValue, arguments)
        case 6: return .call(target: expression(depth: below), selector: "go:", arguments: [expression(depth: below)])
        case 7:
            return .subquery(collection: expression(depth: below), variable: "x", predicate: predicate(depth: below))
        case 8: return .conditional(predicate(depth: below), expression(depth: below), expression(depth: below))
        case 9: return .cast(.keyPath(base: nil, components: path()), pick(["NSDate", "NSString", "Odd 'type'"]))
        case 10:
            return .element(of: expression(depth: below), pick([.first, .last, .size, .at(expression(depth: below))]))
        case 11:
            let base = expression(depth: below)
            if case .keyPath = base { return base }
            return .keyPath(base: base, components: path())
        default: return .keyPath(base: nil, components: path())
        }
    }
}
