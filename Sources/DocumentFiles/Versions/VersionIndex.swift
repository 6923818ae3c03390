internal import Foundation
internal import SQLiteFile
internal import SQLiteKit

/// `versions/index.json`: what is kept. The one file that says what counts; it is replaced by
/// rename.
///
///     {"format":1,"next":3,
///      "head":{"generation":7,"counter":31,"saved":…,"wal":{"salt1":…,"salt2":…,"frames":9},"sum":"…"},
///      "columns":["number","generation","saved","reason","flags","revision","size","deltaBytes","baseBytes","sum","name"],
///      "versions":[[1,5,1763712345123,"save",1,0,40960,812,0,"91c0…",null],…]}
///
/// Rows, since the whole is written with every save. Invariants:
/// 1. Rows ascend by number, and every number is below `next`.
/// 2. The delta of a row leads from the state of the next row to its own, that of the last row from
///    `head`; where the row has no such delta (`isLinked` is not set), it has a base.
package struct VersionIndex: Sendable {
    /// What `flags` stand for.
    package struct Flags: OptionSet, Sendable, Hashable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// The delta leads here from the next newer state.
        static let isLinked = Flags(rawValue: 1)
        /// There is a whole copy, `<n>.base`.
        static let hasBase = Flags(rawValue: 2)
        package static let isPinned = Flags(rawValue: 4)
        /// What it refers to in `content/` can't be told from the next newer state, which was lost.
        static let hasUnknownReferences = Flags(rawValue: 8)
    }

    package struct Row: Sendable, Hashable {
        package var number: Int
        package var generation: Int
        /// Milliseconds since 1970.
        package var saved: Int64
        package var reason: String
        var flags: Flags
        /// Raised when the delta is written anew.
        var revision = 0
        /// Of the store.
        package var size: Int64
        var deltaBytes: Int64
        var baseBytes: Int64 = 0
        /// The sum over the store's pages, where it is known.
        var sum: StateSum?
        package var name: String?
    }

    /// The state that the last row's delta leads from.
    struct Head: Sendable, Hashable, Encodable {
        package var generation: Int
        var counter: Int
        package var saved: Int64
        /// Where that state ended in the WAL, which counts as long as the WAL has these salts;
        /// afterwards it is the main file.
        package var wal: WriteAheadLog.Mark?
        var sum: StateSum?

        init(_ state: SavedState, wal: WriteAheadLog.Mark? = nil, sum: StateSum? = nil) {
            generation = state.generation
            counter = state.counter
            saved = state.saved.milliseconds
            self.wal = wal
            self.sum = sum
        }

        /// Whether this is the state. A save that is done again after a failure has another time;
        /// in doubt, a save is told by its generation.
        package func isSame(as state: SavedState) -> Bool {
            generation == state.generation
                && (counter == 0 || state.counter == 0
                    || (counter == state.counter && saved == state.saved.milliseconds))
        }
    }

    static let format = 1
    package static let fileName = "index.json"
    /// More are not kept: the index stays well below what is read.
    package static let maximumCount = 5_000
    static let maximumNameLength = 200

    package var next = 1
    var head: Head?
    package var rows: [Row] = []

    package func position(of number: Int) -> Int? { rows.firstIndex { $0.number == number } }

    /// Whether `file` is one that this index names.
    package func names(_ file: String) -> Bool {
        rows.contains { $0.deltaName == file || ($0.flags.contains(.hasBase) && $0.baseName == file) }
    }
}

extension VersionIndex.Row {
    var deltaName: String { revision == 0 ? "\(number).delta" : "\(number).\(revision).delta" }
    var baseName: String { "\(number).base" }

    package var version: DocumentVersion {
        DocumentVersion(
            number: number, generation: generation, saved: Date(milliseconds: saved),
            reason: DocumentVersion.Reason(reason), size: size,
            bytes: deltaBytes + baseBytes, isPinned: flags.contains(.isPinned), name: name)
    }
}

extension Date {
    /// From 2001 on, as dates count, so that what is read back is the time to the millisecond.
    /// - Parameter milliseconds: Since 1970, within ``wholeMilliseconds``.
    package init(milliseconds: Int64) {
        self.init(timeIntervalSinceReferenceDate: Double(milliseconds - Self.millisecondsTo2001) / 1000)
    }
    /// Since 1970; the nearest of ``wholeMilliseconds``, and 0 for what is no number.
    package var milliseconds: Int64 {
        let value = (timeIntervalSince1970 * 1000).rounded()
        if value.isNaN { return 0 }
        return Int64(
            Swift.max(
                Double(Self.wholeMilliseconds.lowerBound), Swift.min(Double(Self.wholeMilliseconds.upperBound), value)))
    }

    /// Those that a date can tell apart, as far as they are written.
    static let wholeMilliseconds: ClosedRange<Int64> = -9_000_000_000_000_000...9_000_000_000_000_000
    private static let millisecondsTo2001: Int64 = 978_307_200_000
}
