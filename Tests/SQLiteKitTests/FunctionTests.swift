import SQLiteKit
import TestSupport
import Testing

struct FunctionTests {
    struct Refused: Error, CustomStringConvertible { var description: String { "not like this" } }

    @Test func aFunctionSeesItsArgumentsAndAnswersEachKind() throws {
        let connection = try Connection.inMemory()
        try connection.register(function: "echo", argumentCount: 1, flags: [.deterministic]) { arguments, result in
            result.set(arguments[0].value)
        }
        for value: SQLiteValue in [.null, .integer(.max), .real(1.5), .text("ü"), .text(""), .blob([1, 0]), .blob([])] {
            #expect(try connection.value("SELECT echo(?)", [value]) == value)
        }
        try connection.register(function: "argument_count", argumentCount: -1) { arguments, result in
            result.set(Int64(arguments.count))
        }
        #expect(try connection.value("SELECT argument_count(1, 2, 3)") == .integer(3))
        #expect(try connection.value("SELECT argument_count()") == .integer(0))
    }

    @Test func anErrorOfAFunctionEndsTheStatement() throws {
        let connection = try Connection.inMemory()
        try connection.register(function: "refuse", argumentCount: 0) { _, _ in throw Refused() }
        let error = #expect(throws: SQLiteError.self) { _ = try connection.value("SELECT refuse()") }
        #expect(error?.message == "not like this")
    }

    @Test func anAggregateAnswersForEachGroupAndForNone() throws {
        let connection = try Connection.inMemory()
        try connection.register(
            aggregate: "joined", argumentCount: 1, initial: "",
            step: { text, arguments in
                if arguments[0].text == "!" { throw Refused() }
                text += arguments[0].text
            }, finish: { text, result in result.set("<" + text + ">") })
        try connection.execute("CREATE TABLE t(g, a); INSERT INTO t VALUES (1, 'a'), (2, 'b'), (1, 'c')")
        #expect(
            try connection.rows("SELECT joined(a) FROM t GROUP BY g ORDER BY g").map { $0[0].text } == ["<ac>", "<b>"])
        #expect(try connection.value("SELECT joined(a) FROM t WHERE g = 3") == .text("<>"))
        let error = #expect(throws: SQLiteError.self) {
            _ = try connection.value("SELECT joined(CASE WHEN g = 2 THEN '!' ELSE a END) FROM t")
        }
        #expect(error?.message == "not like this")
    }

    @Test func theStateOfAnAggregateIsReleasedWhenTheStatementEndsEarly() throws {
        final class Token {}
        final class Counter { weak var token: Token? }
        let counter = Counter()
        do {
            let connection = try Connection.inMemory()
            try connection.register(
                aggregate: "hold", argumentCount: 1, initial: Token?.none,
                step: { held, _ in
                    if held != nil { throw Refused() }
                    held = Token()
                    counter.token = held
                }, finish: { _, result in result.setNull() })
            #expect(throws: SQLiteError.self) {
                _ = try connection.value("SELECT hold(column1) FROM (VALUES (1), (2))")
            }
        }
        #expect(counter.token == nil)
    }

    @Test func aTriggerOfADistrustedSchemaCallsInnocuousFunctionsOnly() throws {
        let connection = try Connection.inMemory()
        for (name, flags) in [("harmless", FunctionFlags.innocuous), ("harmful", [])] {
            try connection.register(function: name, argumentCount: 1, flags: flags) { arguments, result in
                result.set(arguments[0].int64 + 1)
            }
        }
        try connection.execute(
            """
            CREATE TABLE t(a); CREATE TABLE u(a); CREATE TABLE log(a);
            CREATE TRIGGER one AFTER INSERT ON t BEGIN INSERT INTO log VALUES (harmless(new.a)); END;
            CREATE TRIGGER two AFTER INSERT ON u BEGIN INSERT INTO log VALUES (harmful(new.a)); END;
            """)
        try connection.run("INSERT INTO t VALUES (1)")
        #expect(throws: SQLiteError.self) { try connection.run("INSERT INTO u VALUES (1)") }
        #expect(try connection.rows("SELECT a FROM log") == [[.integer(2)]])
    }
}

extension FunctionTests {
    @Test func aCollationOrders() throws {
        let connection = try Connection.inMemory()
        try connection.register(collation: "by_length") { first, second in first.count - second.count }
        let rows = try connection.rows(
            "SELECT column1 FROM (VALUES ('ccc'), ('a'), ('bb')) ORDER BY column1 COLLATE by_length")
        #expect(rows.map { $0[0].text } == ["a", "bb", "ccc"])
    }

    @Test func closuresAreReleasedWithTheConnection() throws {
        final class Token {}
        weak var token: Token?
        do {
            let connection = try Connection.inMemory()
            let held = Token()
            token = held
            try connection.register(function: "f", argumentCount: 0) { _, result in
                _ = held
                result.set(1 as Int64)
            }
            try connection.register(collation: "c") { _, _ in
                _ = held
                return 0
            }
            _ = try connection.value("SELECT f()")
        }
        #expect(token == nil)
    }
}
