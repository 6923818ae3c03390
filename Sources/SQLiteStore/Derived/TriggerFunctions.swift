import Foundation
import Query
import Schema
import SQLiteKit

/// The functions that triggers of derived attributes call: those of Core Data's own that public
/// files show (CoreDataFiles, Derived attributes), and ours for texts. Whatever else a trigger of a
/// foreign store calls is not known here, and SQLite then refuses the change.
enum TriggerFunctions {
    static let updated = "NSCoreDataDATriggerUpdatedAffectedObjectValue"
    static let inserted = "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue"

    static func name(of function: QueryFunction) -> String {
        switch function {
        case .uppercase: "FolioUppercase"
        case .lowercase: "FolioLowercase"
        default: "FolioCanonical"
        }
    }

    /// Gives them to a connection; what they are told goes to `changes`.
    static func register(on connection: Connection, noting changes: DerivedChanges?) throws {
        for name in [updated, inserted, "NSCoreDataTriggerUpdateAffectedObjectValue"] {
            try connection.register(function: name, argumentCount: -1, flags: .innocuous) { arguments, result in
                result.setNull()
                guard let changes, arguments.count == 5 else { return }
                changes.note(number: arguments[1].int64, key: arguments[2].int64)
            }
        }
        try connection.register(function: "NSCoreDataNow", argumentCount: 0, flags: .innocuous) { _, result in
            result.set(Date().timeIntervalSinceReferenceDate)
        }
        for function in [QueryFunction.canonical, .uppercase, .lowercase] {
            try connection.register(function: name(of: function), argumentCount: 1, flags: .pure) { arguments, result in
                guard !arguments[0].isNull else { return }
                let text = try ScalarRules.apply(
                    function, [.string(arguments[0].text)], now: Date(timeIntervalSinceReferenceDate: 0))
                if case .string(let made) = text { result.set(made) }
            }
        }
    }
}

/// The objects whose derived values changed in the transaction that is going on. One connection's,
/// used under its session's lock.
final class DerivedChanges {
    /// Keys by `Z_ENT`.
    private(set) var keys: [Int64: Set<Int64>] = [:]

    var isEmpty: Bool { keys.isEmpty }

    func note(number: Int64, key: Int64) { keys[number, default: []].insert(key) }

    func takeAll() -> [Int64: Set<Int64>] {
        defer { keys = [:] }
        return keys
    }
}
