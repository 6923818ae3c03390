internal import ArchiveKit
internal import FileSystem
internal import SQLiteFile
internal import SQLiteKit

/// What a manifest records of a store's main file: the sum over its pages, and the change counter
/// in its header.
///
/// SQLite has no checksums of pages. Held against the sum, a page that was altered since the last
/// save is found wherever it is. The change counter tells a change that another program made
/// through SQLite, which raises it with every commit that touches the first page, from damage.
struct SavedPages: Sendable, Hashable {
    let sum: StateSum
    let changeCounter: UInt32

    /// How a main file compares with what was recorded.
    enum Verdict {
        case same
        /// Another program has committed in it.
        case changedOutside
        case damaged
    }

    init(sum: StateSum, changeCounter: UInt32) {
        self.sum = sum
        self.changeCounter = changeCounter
    }

    /// Of a database whose sum is known.
    init(sum: StateSum, of state: DatabaseState) throws {
        self.init(sum: sum, changeCounter: try DatabaseHeader(of: state).changeCounter)
    }

    /// Of a database, page by page. Reads it all.
    init(of state: DatabaseState) throws {
        self.init(sum: try StateSum(of: state), changeCounter: try DatabaseHeader(of: state).changeCounter)
    }

    /// Of a database file that nobody has open. Reads it all.
    init(ofFileAt path: String) throws {
        let file = try File(path, .read)
        defer { file.close() }
        let found = try DatabaseSum(of: file)
        self.init(sum: found.sum, changeCounter: found.header.changeCounter)
    }

    /// Holds the main file of an open database against what was recorded, whatever its WAL has.
    /// Reads it all.
    func verdict(onMainFileOf files: DatabaseFiles) throws -> Verdict {
        let state = files.state(at: nil)
        return try verdict(StateSum(of: state), DatabaseHeader(of: state))
    }

    /// Holds a database against what was recorded while it is packed or unpacked.
    /// - Parameter damage: What to throw where it is damaged.
    func check(orThrow damage: any Error) -> ContentCheck {
        var found = DatabaseSum()
        return ContentCheck(
            take: { found.take($0) }, finish: { if verdict(found.sum, found.header) == .damaged { throw damage } })
    }

    private func verdict(_ found: StateSum, _ header: DatabaseHeader) -> Verdict {
        if found == sum { return .same }
        return isChangedOutside(header) ? .changedOutside : .damaged
    }

    /// Whether the header says that another program has committed. One bit that was turned over in
    /// it does not: the counter stands in two places.
    func isChangedOutside(_ header: DatabaseHeader) -> Bool {
        header.isConsistent && header.changeCounter != changeCounter
    }
}

extension DocumentManifest.Store {
    /// What is recorded of the main file; nil where nothing is.
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
