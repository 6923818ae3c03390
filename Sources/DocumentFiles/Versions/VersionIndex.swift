internal import Foundation
internal import SQLiteFile
internal import SQLiteKit

/// The index of versions, `versions/index.json`. It determines which versions exist, and is
/// replaced atomically.
///
///     {"format":1,"next":3,
///      "head":{"generation":7,"counter":31,"saved":…,"wal":{"salt1":…,"salt2":…,"frames":9},"sum":"…"},
///      "columns":["number","generation","saved","reason","flags","revision","size","deltaBytes","baseBytes","sum","name"],
///      "versions":[[1,5,1763712345123,"save",1,0,40960,812,0,"91c0…",null],…]}
///
/// Versions are rows instead of objects to keep the file small, because it is written by every
/// save. Invariants:
/// 1. Rows are in ascending order by number, and all numbers are less than `next`.
/// 2. The delta of a row leads from the state of the next row to its own; that of the last row,
///    from `head`. A row without such a delta (`isLinked` is not set) has a base.
package struct VersionIndex: Sendable {
    /// The bits of `flags`.
    package struct Flags: OptionSet, Sendable, Hashable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// The delta leads from the next newer state to this one.
        static let isLinked = Flags(rawValue: 1)
        /// There is a full copy, `<n>.base`.
        static let hasBase = Flags(rawValue: 2)
        package static let isPinned = Flags(rawValue: 4)
        /// The references to `content/` can't be derived from the next newer state, which was lost.
        static let hasUnknownReferences = Flags(rawValue: 8)
    }

    package struct Row: Sendable, Hashable {
        package var number: Int
        package var generation: Int
        /// Milliseconds since 1970.
        package var saved: Int64
        package var reason: String
        var flags: Flags
        /// Incremented when the delta is written again.
        var revision = 0
        /// The size of the store.
        package var size: Int64
        var deltaBytes: Int64
        var baseBytes: Int64 = 0
        /// The sum over the store's pages, if it is known.
        var sum: StateSum?
        package var name: String?
    }

    /// The state on which the delta of the last row is based.
    struct Head: Sendable, Hashable, Encodable {
        package var generation: Int
        var counter: Int
        package var saved: Int64
        /// The end of this state in the WAL, valid as long as the WAL has these salts. Afterwards
        /// the state is the main file.
        package var wal: WriteAheadLog.Mark?
        var sum: StateSum?

        init(_ state: SavedState, wal: WriteAheadLog.Mark? = nil, sum: StateSum? = nil) {
            generation = state.generation
            counter = state.counter
            saved = state.saved.milliseconds
            self.wal = wal
            self.sum = sum
        }

        /// Whether this is the given state. A save that is repeated after a failure has another
        /// time. If a counter is not known, only the generation is compared.
        package func isSame(as state: SavedState) -> Bool {
            generation == state.generation
                && (counter == 0 || state.counter == 0
                    || (counter == state.counter && saved == state.saved.milliseconds))
        }
    }

    static let format = 1
    package static let fileName = "index.json"
    /// The maximum number of versions, which keeps the index well below its maximum size.
    package static let maximumCount = 5_000
    static let maximumNameLength = 200

    package var next = 1
    var head: Head?
    package var rows: [Row] = []

    package func position(of number: Int) -> Int? { rows.firstIndex { $0.number == number } }

    /// Whether a file belongs to a version in this index.
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
    /// Computes the date relative to 2001, like `Date` itself, so that milliseconds are exact.
    /// - Parameter milliseconds: Milliseconds since 1970, within ``wholeMilliseconds``.
    package init(milliseconds: Int64) {
        self.init(timeIntervalSinceReferenceDate: Double(milliseconds - Self.millisecondsTo2001) / 1000)
    }
    /// Milliseconds since 1970, limited to ``wholeMilliseconds``; 0 for NaN.
    package var milliseconds: Int64 {
        let value = (timeIntervalSince1970 * 1000).rounded()
        if value.isNaN { return 0 }
        return Int64(
            Swift.max(
                Double(Self.wholeMilliseconds.lowerBound), Swift.min(Double(Self.wholeMilliseconds.upperBound), value)))
    }

    /// The range of milliseconds that `Date` represents exactly.
    static let wholeMilliseconds: ClosedRange<Int64> = -9_000_000_000_000_000...9_000_000_000_000_000
    private static let millisecondsTo2001: Int64 = 978_307_200_000
}
