import CSQLite
import Folio
import Foundation

/// W14: a hundred conditions of rising complexity, each as predicate text and as the SQL that a
/// careful person writes for it. What is timed is everything from the text to the number of objects
/// that fit.
enum PredicateWorkload {
    struct Condition {
        let format: String
        let sql: String
        /// The values of the placeholders of both, in the same order.
        let arguments: [PropertyValue]

        init(_ format: String, _ sql: String, _ arguments: [PropertyValue]) {
            self.format = format
            self.sql = sql
            self.arguments = arguments
        }
    }

    /// Twenty shapes with five sets of values each.
    static func conditions(size: Int) -> [Condition] {
        (1...5).flatMap { step -> [Condition] in
            let place = size * step / 6
            let number = PropertyValue.int(Item.number(place)), next = PropertyValue.int(Item.number(place + size / 10))
            let ratio = PropertyValue.double(Item.ratio(place)), digit = String(step)
            let created = PropertyValue.date(Date(timeIntervalSinceReferenceDate: Item.seconds(place)))
            let some = (0..<8).map { PropertyValue.int(Item.number(place + $0 * 13)) }
            let marks = Array(repeating: "?", count: some.count).joined(separator: ", "),
                values = Array(repeating: "%@", count: some.count).joined(separator: ", ")
            return [
                Condition("number == %@", "ZNUMBER = ?", [number]),
                Condition("number > %@", "ZNUMBER > ?", [number]),
                Condition("number BETWEEN {%@, %@}", "ZNUMBER BETWEEN ? AND ?", [number, next]),
                Condition("number IN {\(values)}", "ZNUMBER IN (\(marks))", some),
                Condition("name == %@", "ZNAME = ?", [.string(Item.name(place))]),
                Condition("created > %@", "ZCREATED > ?", [created]),
                Condition("identifier == %@", "ZIDENTIFIER = ?", [.uuid(Item.uuid(place))]),
                Condition("name CONTAINS %@", "instr(ZNAME, ?) > 0", [.string(digit + "7")]),
                Condition("name ENDSWITH %@", "substr(ZNAME, -2) = ?", [.string(digit + "9")]),
                Condition("name LIKE %@", "ZNAME GLOB ?", [.string("*" + digit + "?")]),
                Condition("name BEGINSWITH[c] %@", "ZNAME LIKE ? || '%'", [.string("ITEM " + digit)]),
                Condition("flag == YES AND number > %@", "ZFLAG = 1 AND ZNUMBER > ?", [number]),
                Condition("NOT (flag == YES AND ratio > %@)", "NOT (ZFLAG = 1 AND ZRATIO > ?)", [ratio]),
                Condition(
                    "(flag == YES OR ratio < %@) AND number < %@", "(ZFLAG = 1 OR ZRATIO < ?) AND ZNUMBER < ?",
                    [ratio, next]),
                Condition("number + 1 > %@ * 2", "ZNUMBER + 1 > ? * 2", [.int(Item.number(place) / 3)]),
                Condition("modulus:by:(number, 7) == %@", "ZNUMBER % 7 = ?", [.int(Int64(step))]),
                Condition(
                    "ratio * 4 - number / 7919 > %@", "ZRATIO * 4 - ZNUMBER / 7919 > ?", [.double(Double(place))]),
                Condition(
                    "TERNARY(flag == YES, number, 0 - number) > %@",
                    "CASE WHEN ZFLAG = 1 THEN ZNUMBER ELSE 0 - ZNUMBER END > ?", [number]),
                Condition(
                    "number == %@ OR name == %@ OR (ratio > %@ AND flag == YES AND created < %@)",
                    "ZNUMBER = ? OR ZNAME = ? OR (ZRATIO > ? AND ZFLAG = 1 AND ZCREATED < ?)",
                    [number, .string(Item.name(place)), ratio, created]),
                Condition(
                    "NOT (number < %@ OR name CONTAINS %@) AND (flag == NO OR number + ratio > %@) AND created BETWEEN {%@, %@}",
                    "NOT (ZNUMBER < ? OR instr(ZNAME, ?) > 0) AND (ZFLAG = 0 OR ZNUMBER + ZRATIO > ?) AND ZCREATED BETWEEN ? AND ?",
                    [
                        number, .string(digit), ratio, created,
                        .date(Date(timeIntervalSinceReferenceDate: Item.seconds(size))),
                    ]),
            ]
        }
    }

    static func folio(_ size: Int, _ url: URL) async throws -> Measurement {
        let conditions = conditions(size: size)
        let document = try await PersistentDocument.open(url)
        var request = FetchRequest<ManagedObject>(entityName: Item.entityName)
        _ = try document.context.count(for: request)
        let watch = Stopwatch()
        var checksum = Checksum()
        for condition in conditions {
            request.predicate = try FetchPredicate(format: condition.format, arguments: condition.arguments)
            checksum.add(UInt64(try document.context.count(for: request)))
        }
        let measured = watch.measurement(checksum: checksum.value)
        try await document.close()
        return measured
    }

    static func hand(_ size: Int, _ store: String) throws -> Measurement {
        let conditions = conditions(size: size)
        let database = try HandDatabase(store)
        _ = try count("1", [], database)
        let watch = Stopwatch()
        var checksum = Checksum()
        for condition in conditions { checksum.add(UInt64(try count(condition.sql, condition.arguments, database))) }
        return watch.measurement(checksum: checksum.value)
    }

    private static func count(_ condition: String, _ arguments: [PropertyValue], _ database: HandDatabase) throws
        -> Int64
    {
        let statement = try database.prepare("SELECT count(*) FROM ZITEM WHERE " + condition)
        defer { sqlite3_finalize(statement) }
        for (index, argument) in zip(Int32(1)..., arguments) {
            switch argument {
            case .int(let value): sqlite3_bind_int64(statement, index, value)
            case .double(let value): sqlite3_bind_double(statement, index, value)
            case .date(let value): sqlite3_bind_double(statement, index, value.timeIntervalSinceReferenceDate)
            case .string(let text): sqlite3_bind_text(statement, index, text, -1, transient)
            case .uuid(let uuid):
                withUnsafeBytes(of: uuid.uuid) {
                    _ = sqlite3_bind_blob(statement, index, $0.baseAddress, 16, transient)
                }
            default: throw BenchmarkError("no binding for \(argument)")
            }
        }
        guard sqlite3_step(statement) == SQLITE_ROW else { throw BenchmarkError("\(condition) failed") }
        return sqlite3_column_int64(statement, 0)
    }
}
