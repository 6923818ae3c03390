internal import ArchiveKit
internal import FileSystem
internal import SQLiteFile
internal import SQLiteKit

/// The sum over the pages of a store's main file and the change counter in its header, as recorded
/// in the manifest.
///
/// SQLite has no page checksums; the sum detects a change to any page since the last save. The
/// change counter distinguishes damage from changes by another program through SQLite, which
/// increments the counter with every commit that writes the first page.
struct SavedPages: Sendable, Hashable {
    let sum: StateSum
    let changeCounter: UInt32

    /// The result of comparing a main file with its record.
    enum Verdict {
        case same
        /// Another program has committed to the file.
        case changedOutside
        case damaged
    }

    init(sum: StateSum, changeCounter: UInt32) {
        self.sum = sum
        self.changeCounter = changeCounter
    }

    /// The record of a database with a known sum.
    init(sum: StateSum, of state: DatabaseState) throws {
        self.init(sum: sum, changeCounter: try DatabaseHeader(of: state).changeCounter)
    }

    /// The record of a database. Reads all of its pages.
    init(of state: DatabaseState) throws {
        self.init(sum: try StateSum(of: state), changeCounter: try DatabaseHeader(of: state).changeCounter)
    }

    /// The record of a database file that no process has open. Reads the whole file.
    init(ofFileAt path: String) throws {
        let file = try File(path, .read)
        defer { file.close() }
        let found = try DatabaseSum(of: file)
        self.init(sum: found.sum, changeCounter: found.header.changeCounter)
    }

    /// Compares the main file of an open database, without its WAL, with the record. Reads the
    /// whole file.
    func verdict(onMainFileOf files: DatabaseFiles) throws -> Verdict {
        let state = files.state(at: nil)
        return try verdict(StateSum(of: state), DatabaseHeader(of: state))
    }

    /// A check that compares a database with the record while it is packed or unpacked.
    /// - Parameter damage: The error that is thrown if the database is damaged.
    func check(orThrow damage: any Error) -> ContentCheck {
        var found = DatabaseSum()
        return ContentCheck(
            take: { found.take($0) }, finish: { if verdict(found.sum, found.header) == .damaged { throw damage } })
    }

    private func verdict(_ found: StateSum, _ header: DatabaseHeader) -> Verdict {
        if found == sum { return .same }
        return isChangedOutside(header) ? .changedOutside : .damaged
    }

    /// Whether the header shows a commit by another program. A single flipped bit does not, because
    /// the header contains the counter twice.
    func isChangedOutside(_ header: DatabaseHeader) -> Bool {
        header.isConsistent && header.changeCounter != changeCounter
    }
}

extension DocumentManifest.Store {
    /// The record of the main file; nil if there is none.
    var pages: SavedPages? {
        get {
            guard let pageSum, let sum = UInt64(pageSum, radix: 16), let changeCounter,
                let counter = UInt32(exactly: changeCounter)
            else { return nil }
            return SavedPages(sum: StateSum(value: sum), changeCounter: counter)
        }
        set {
            pageSum = newValue.map { String($0.sum.value, radix: 16) }
            changeCounter = newValue.map { Int($0.changeCounter) }
        }
    }
}
