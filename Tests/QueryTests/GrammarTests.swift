import Foundation
import Query
import Schema
import Testing

@Suite("Predicate text: grammar (P1–P16, P21, P22)")
struct GrammarTests {
    private func parse(_ text: String) throws -> FetchPredicate { try FetchPredicate(format: text) }

    private func key(_ path: String) -> QueryExpression { .keyPath(path) }

    private func compare(_ left: QueryExpression, _ op: ComparisonPredicate.Operator = .equal, _ right: PropertyValue)
        -> FetchPredicate
    {
        .comparison(ComparisonPredicate(left, op, .constant(right)))
    }

    @Test("P1: NOT binds tightest, then AND, then OR; symbols are synonyms; words in any case")
    func precedence() throws {
        let (a, b, c) = (
            compare(key("a"), .equal, .int(1)), compare(key("b"), .equal, .int(2)), compare(key("c"), .equal, .int(3))
        )
        let expected = FetchPredicate.or([a, .and([.not(b), c])])
        for text in [
            "a = 1 OR NOT b = 2 AND c = 3", "a == 1 || !b == 2 && c == 3", "a==1 or not b==2 and c==3",
            "(a == 1) OR ((NOT (b == 2)) AND (c == 3))",
        ] {
            #expect(try parse(text) == expected, "\(text)")
        }
        #expect(try parse("!!TRUEPREDICATE") == .not(.not(.constant(true))))
        #expect(try parse("falsepredicate") == .constant(false))
    }

    @Test("P15: chains of one connective are flat, redundant parentheses vanish")
    func flattening() throws {
        let parts = (1...4).map { compare(key("k\($0)"), .equal, .int(Int64($0))) }
        #expect(try parse("k1 = 1 AND k2 = 2 AND k3 = 3 AND k4 = 4") == .and(parts))
        #expect(try parse("((k1 = 1) AND (k2 = 2 AND (((k3 = 3) AND k4 = 4))))") == .and(parts))
        #expect(try parse("((((k1)) = ((1))))") == parts[0])
    }

    @Test("P2, P16: SOME is ANY, NONE is NOT of ANY")
    func modifiers() throws {
        func any(_ modifier: ComparisonPredicate.Modifier) -> FetchPredicate {
            .comparison(ComparisonPredicate(key("books.year"), .greater, .constant(.int(3)), modifier: modifier))
        }
        #expect(try parse("ANY books.year > 3") == any(.any))
        #expect(try parse("some books.year > 3") == any(.any))
        #expect(try parse("ALL books.year > 3") == any(.all))
        #expect(try parse("NONE books.year > 3") == .not(any(.any)))
        #expect(try parse("NOT NONE books.year > 3") == .not(.not(any(.any))))
    }

    @Test("P3: every spelling of every operator")
    func operators() throws {
        let spellings: [(String, ComparisonPredicate.Operator)] = [
            ("=", .equal), ("==", .equal), ("!=", .notEqual), ("<>", .notEqual), ("<", .less), ("<=", .lessOrEqual),
            ("=<", .lessOrEqual), (">", .greater),
            (">=", .greaterOrEqual), ("=>", .greaterOrEqual), ("BETWEEN", .between), ("IN", .in),
            ("contains", .contains), ("BeginsWith", .beginsWith),
            ("ENDSWITH", .endsWith), ("LIKE", .like), ("matches", .matches),
        ]
        for (text, op) in spellings {
            #expect(try parse("a \(text) 'x'") == compare(key("a"), op, .string("x")), "\(text)")
            #expect(
                try parse("a\(op == .equal || text.first?.isLetter == false ? text : " \(text) ")'x'")
                    == compare(key("a"), op, .string("x")), "\(text)")
        }
        #expect { try parse("a UTI-CONFORMS-TO 'public.text'") } throws: { ($0 as? QueryError)?.code == .unsupported }
    }

    @Test("P4: options in brackets, in any combination, also after == and <")
    func options() throws {
        func with(_ op: ComparisonPredicate.Operator, _ options: ComparisonPredicate.Options) -> FetchPredicate {
            .comparison(ComparisonPredicate(key("a"), op, .constant(.string("x")), options: options))
        }
        #expect(try parse("a CONTAINS[cd] 'x'") == with(.contains, [.caseInsensitive, .diacriticInsensitive]))
        #expect(try parse("a ==[c] 'x'") == with(.equal, .caseInsensitive))
        #expect(try parse("a < [ D L ] 'x'") == with(.less, [.diacriticInsensitive, .localeSensitive]))
        #expect(try parse("a like[n] 'x'") == with(.like, .normalized))
        #expect(try parse("a like[] 'x'") == with(.like, []))
        #expect(throws: QueryError.self) { try parse("a LIKE[x] 'x'") }
        #expect(throws: QueryError.self) { try parse("a LIKE[c 'x'") }
    }
}

extension GrammarTests {
    @Test("P6: paths, variables, calls, indexing")
    func expressions() throws {
        func left(_ text: String) throws -> QueryExpression { try QueryExpression(format: text) }
        #expect(try left("a.b.@count") == .keyPath(base: nil, components: ["a", "b", "@count"]))
        #expect(try left("SELF") == .evaluatedObject)
        #expect(try left("self.name") == .keyPath(base: .evaluatedObject, components: ["name"]))
        #expect(try left("$x.name") == .keyPath(base: .variable("x"), components: ["name"]))
        #expect(try left("a[0]") == .element(of: key("a"), .at(.constant(.int(0)))))
        #expect(try left("a[FIRST].b") == .keyPath(base: .element(of: key("a"), .first), components: ["b"]))
        #expect(try left("a[last]") == .element(of: key("a"), .last))
        #expect(try left("a[SIZE]") == .element(of: key("a"), .size))
        #expect(try left("a['k']") == .element(of: key("a"), .at(.constant(.string("k")))))
        #expect(
            try left("TERNARY(a == 1, 'x', b)")
                == .conditional(compare(key("a"), .equal, .int(1)), .constant(.string("x")), key("b")))
        #expect(try left("CAST(a, 'NSDate')") == .cast(key("a"), "NSDate"))
        #expect(
            try left("FUNCTION($m, 'go:with:', 1, b)")
                == .call(target: .variable("m"), selector: "go:with:", arguments: [.constant(.int(1)), key("b")]))
        let inner = FetchPredicate.comparison(
            ComparisonPredicate(.keyPath(base: .variable("x"), components: ["y"]), .equal, .evaluatedObject))
        #expect(
            try left("SUBQUERY(a.b, $x, $x.y == SELF).@count")
                == .keyPath(
                    base: .subquery(collection: key("a.b"), variable: "x", predicate: inner), components: ["@count"]))
        #expect(try left("{a, 1}") == .aggregate([key("a"), .constant(.int(1))]))
        #expect(try left("lowercase:(a)") == .function("lowercase:", [key("a")]))
        #expect(try left("lowercase(a)") == .function("lowercase:", [key("a")]))
        #expect(try left("now()") == .function("now", []))
        #expect(try left("from:subtract:(a, 2)") == .function("from:subtract:", [key("a"), .constant(.int(2))]))
        #expect { try parse("$a := 1") } throws: { ($0 as? QueryError)?.code == .unsupported }
        #expect { try left("FETCH(a, b, YES)") } throws: { ($0 as? QueryError)?.code == .unsupported }
    }

    @Test("P7, P21: arithmetic by precedence")
    func arithmetic() throws {
        func f(_ name: String, _ a: QueryExpression, _ b: QueryExpression) -> QueryExpression {
            .function(name, [a, b])
        }
        let (a, b, c) = (key("a"), key("b"), key("c"))
        func parsed(_ text: String) throws -> QueryExpression { try QueryExpression(format: text) }
        #expect(try parsed("a + b * c") == f("add:to:", a, f("multiply:by:", b, c)))
        #expect(try parsed("(a + b) * c") == f("multiply:by:", f("add:to:", a, b), c))
        #expect(try parsed("a - b - c") == f("from:subtract:", f("from:subtract:", a, b), c))
        #expect(try parsed("a / b ** c") == f("divide:by:", a, f("raise:toPower:", b, c)))
        #expect(
            try parsed("a & b << 2 + c")
                == f("bitwiseAnd:with:", a, f("leftshift:by:", b, f("add:to:", .constant(.int(2)), c))))
        #expect(try parsed("a | b ^ c") == f("bitwiseXor:with:", f("bitwiseOr:with:", a, b), c))
        #expect(try parsed("a >> b") == f("rightshift:by:", a, b))
        #expect(try parsed("~a") == .function("onesComplement:", [a]))
        #expect(try parsed("-a") == f("from:subtract:", .constant(.int(0)), a))
        #expect(
            try parsed("-2 ** 2")
                == f("from:subtract:", .constant(.int(0)), f("raise:toPower:", .constant(.int(2)), .constant(.int(2)))))
        #expect(try parsed("2 ** -2") == f("raise:toPower:", .constant(.int(2)), .constant(.int(-2))))
        #expect(try parsed("a--2") == f("from:subtract:", a, .constant(.int(-2))))
        #expect(
            try parse("(a + b) * 2 > (c)") == .comparison(ComparisonPredicate(try parsed("(a + b) * 2"), .greater, c)))
    }
}

extension GrammarTests {
    @Test("P8, P9: literals")
    func literals() throws {
        let cases: [(String, PropertyValue)] = [
            ("'it is \"so\"'", .string("it is \"so\"")), ("\"it's\"", .string("it's")), ("12", .int(12)),
            ("-12", .int(-12)), ("1.5", .double(1.5)),
            (".5", .double(0.5)), ("1e3", .double(1000)), ("1.5E-3", .double(0.0015)), ("0x1F", .int(31)),
            ("0o17", .int(15)), ("0b101", .int(5)),
            ("TRUE", .int(1)), ("yes", .int(1)), ("FALSE", .int(0)), ("NO", .int(0)), ("NULL", .null), ("nil", .null),
            ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
            ("9223372036854775808", .double(0x1p63)), ("''", .string("")),
            ("{1, 'a', nil, -2.5}", .list([.int(1), .string("a"), .null, .double(-2.5)])), ("{}", .list([])),
        ]
        for (text, value) in cases { #expect(try QueryExpression(format: text) == .constant(value), "\(text)") }
        for text in ["12a", "0x", "0b2", "'open", "1.2.3"] {
            #expect(throws: QueryError.self, "\(text)") { try QueryExpression(format: text) }
        }
    }

    @Test("P22: escapes in strings; a backslash before anything else stands for itself")
    func escapes() throws {
        let cases: [(String, String)] = [
            (#"'a\'b'"#, "a'b"), (#""a\"b""#, "a\"b"), (#"'a\\b'"#, #"a\b"#), (#"'a\nb\tc\rd'"#, "a\nb\tc\rd"),
            (#"'\u00e9'"#, "\u{E9}"),
            (#"'\U0001F600'"#, "😀"), (#"'\ud83d\ude00'"#, "😀"), (#"'\u{1F600}'"#, "😀"), (#"'\d+\.\*'"#, #"\d+\.\*"#),
        ]
        for (text, value) in cases {
            guard case .constant(.string(let read)) = try QueryExpression(format: text) else {
                Issue.record("no string: \(text)")
                continue
            }
            #expect(Array(read.utf8) == Array(value.utf8), "\(text)")
        }
        for text in [#"'\u12'"#, #"'\ud83d'"#, #"'\u{110000}'"#, #"'\u{}'"#, #"'\ud83d\u0041'"#] {
            #expect(throws: QueryError.self, "\(text)") { try QueryExpression(format: text) }
        }
    }

    @Test("P10: arguments take the place of placeholders in their order")
    func arguments() throws {
        let date = Date(timeIntervalSinceReferenceDate: 12.5)
        let predicate = try FetchPredicate(
            format: "%K == %@ AND n > %ld AND x < %f AND d == %@ AND %K.c == nil", "a.b", "v", 3, 2, date, "e")
        #expect(
            predicate
                == .and([
                    compare(key("a.b"), .equal, .string("v")), compare(key("n"), .greater, .int(3)),
                    compare(key("x"), .less, .double(2)),
                    compare(key("d"), .equal, .date(date)), compare(key("e.c"), .equal, .null),
                ]))
        #expect(try FetchPredicate(format: "a == %@", nil as String?) == compare(key("a"), .equal, .null))
        #expect(try FetchPredicate(format: "a == %@", true) == compare(key("a"), .equal, .int(1)))
        #expect(try FetchPredicate(format: "a == %d", 2.9) == compare(key("a"), .equal, .int(2)))
        #expect(try FetchPredicate(format: "a == %c", "x") == compare(key("a"), .equal, .string("x")))
        #expect(try FetchPredicate(format: "a IN %@", [1, 2]) == compare(key("a"), .in, .list([.int(1), .int(2)])))
        #expect(try FetchPredicate(format: "a.%K == 1", "b.c") == compare(key("a.b.c"), .equal, .int(1)))
        let uuid = UUID()
        #expect(try FetchPredicate(format: "a == %@", uuid) == compare(key("a"), .equal, .uuid(uuid)))
        #expect(
            try FetchPredicate(format: "a == %@", arguments: [Decimal(5)]) == compare(key("a"), .equal, .decimal(5)))
        for (format, arguments) in [
            ("a == %@", []), ("a == 1", [1]), ("a == %d", ["x"]), ("%K == 1", [5]), ("%K == 1", ["a..b"]),
        ] as [(String, [(any PredicateArgument)?])] {
            #expect { try FetchPredicate(format: format, arguments: arguments) } throws: {
                ($0 as? QueryError)?.code == .argument
            }
        }
        #expect(throws: QueryError.self) { try FetchPredicate(format: "a == %q", 1) }
    }
}

extension GrammarTests {
    @Test("P11: a placeholder in quotes is text; a bare ? is no token")
    func quotedPlaceholders() throws {
        #expect(try parse("a == '%K %@'") == compare(key("a"), .equal, .string("%K %@")))
        #expect(throws: QueryError.self) { try parse("a == ?") }
    }

    @Test("P13, P14: reserved words are keys with #; identifiers may start with _ and @")
    func reserved() throws {
        #expect(try parse("#in == 1") == compare(key("in"), .equal, .int(1)))
        #expect(try parse("a.#self == 1") == compare(key("a.self"), .equal, .int(1)))
        #expect(try parse("a.in == 1") == compare(key("a.in"), .equal, .int(1)))
        #expect(try parse("_x.größe == 1") == compare(key("_x.größe"), .equal, .int(1)))
        #expect(try parse("@count == 1") == compare(key("@count"), .equal, .int(1)))
        #expect(
            try parse("size > 3 AND first == 1")
                == .and([compare(key("size"), .greater, .int(3)), compare(key("first"), .equal, .int(1))]))
        #expect(throws: QueryError.self) { try parse("in == 1") }
    }

    @Test("P17: BETWEEN with a list and with an array are equal")
    func between() throws {
        #expect(try parse("a BETWEEN {1, 5}") == FetchPredicate(format: "a BETWEEN %@", [1, 5]))
    }

    @Test("Errors say where and what was expected, and show it")
    func errors() throws {
        let cases: [(String, Int, String?)] = [
            ("name == == 'x'", 8, "a value"), ("name", 4, "a comparison operator"),
            ("name == 1 year == 2", 10, "AND, OR or the end"), ("", 0, "a value"),
            ("(a == 1", 7, ")"), ("a IN {1, 2", 10, ", or }"), ("a == 'x", 5, "a closing '"),
            ("ANY a", 5, "a comparison operator"),
            ("a.== 1", 2, "a key"), ("größe == ;", 9, "an expression or an operator"),
            ("a == (b == c)", 5, "a value, not a condition"), ("a BETWEEN 1 AND 5", 17, "a comparison operator"),
            ("SUBQUERY(a, x, b == 1).@count > 1", 12, "a variable such as $x"),
        ]
        for (text, offset, expected) in cases {
            #expect {
                try parse(text)
            } throws: { error in
                guard let error = error as? QueryError else { return false }
                if error.offset != offset { Issue.record("\(text): \(error.offset ?? -1) \(error.message)") }
                return error.code == .syntax && error.text == text && error.expected == expected
            }
        }
        #expect {
            try parse("größe ==\n== 'x'")
        } throws: { ($0 as? QueryError)?.markedText == "größe == == 'x'\n         ^" }
        #expect {
            try parse(String(repeating: "a == 1 AND ", count: 100) + "==")
        } throws: { error in
            let lines = (error as? QueryError)?.markedText?.split(separator: "\n") ?? []
            return lines.count == 2 && lines[0].count < 110 && Array(lines[0])[lines[1].count - 1] == "="
        }
    }

    @Test("An unknown function is refused with the nearest ones")
    func unknownFunction() throws {
        #expect {
            try parse("lowercas:(a) == 'x'")
        } throws: { error in
            let error = error as? QueryError
            return error?.code == .unsupported && error?.suggestions.first == "lowercase:" && error?.offset == 0
        }
        #expect(throws: QueryError.self) { try parse("add:to:(a) == 1") }
    }

    @Test(
        "Hostile text fails with an error instead of exhausting the stack",
        arguments: ["(", "!", "-", "a[", "+a", "{", "a ** ", "TERNARY(", "[0]", "NOT (", "abs:(", "~", "a == 1 AND ("])
    func hostile(repeated: String) async throws {
        let text =
            (repeated == "+a" || repeated == "[0]" ? "a" : "") + String(repeating: repeated, count: 200_000) + "a == 1"
        let error = await onSmallStack { () -> QueryError? in
            do {
                _ = try FetchPredicate(format: text)
                return nil
            } catch { return error as? QueryError }
        }
        #expect(error?.code == .syntax)
    }
}

extension GrammarTests {
    /// Runs `body` on a thread with the stack that secondary threads have elsewhere.
    private func onSmallStack<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            // Debug builds need twice the frames of release builds.
            thread.stackSize = 2 << 20
            thread.start()
        }
    }

    @Test(
        "What is as deep as allowed can be read, printed and compared on a small stack; long flat chains cost nothing")
    func deepest() async throws {
        let deep =
            String(repeating: "(", count: 60) + "a" + String(repeating: "+1)", count: 60)
            + String(repeating: " + 1", count: 60) + " == 1"
        let flat = Array(repeating: "a == 1", count: 20_000).joined(separator: " AND ")
        let fine = await onSmallStack {
            guard let predicate = try? FetchPredicate(format: deep),
                let again = try? FetchPredicate(format: predicate.predicateFormat)
            else { return false }
            guard predicate == again, (try? FetchPredicate(format: flat)) != nil else { return false }
            guard let library = try? Library(), let book = try? library.object("Book", 1, ["year": .int(1 - 120)])
            else { return false }
            return (try? library.matches(deep.replacingOccurrences(of: "a", with: "year"), book)) == true
        }
        #expect(fine)
    }
}
