import Folio
import Foundation

/// The states of a document that `folio versions` lists, oldest first: its versions, the last save
/// and autosaved work.
struct VersionList {
    fileprivate enum State: String {
        case version, saved, autosaved
    }

    fileprivate struct Row {
        /// The number of the save; nil for autosaved work.
        var generation: Int?
        var state: State
        var saved: Date
        /// The reason why the version was kept; nil for states that are not versions.
        var reason: String?
        var size: Int64
        var bytes: Int64 = 0
        var isPinned = false
        var name: String?
    }

    private var rows: [Row]
    private let path: String

    /// Creates a list of versions only.
    init(_ versions: [DocumentVersion], path: String) {
        rows = versions.map(Row.init)
        self.path = path
    }

    /// Creates a list of all states of a document. A bare store has none.
    init(of document: PersistentDocument, path: String) throws {
        self.init(try document.versions(), path: path)
        guard let generation = document.generation, let saved = document.saved else { return }
        let size = try document.savedStore.bytes()
        if let kept = rows.lastIndex(where: { $0.generation == generation }) {
            // The last save has become a version because a checkpoint has moved autosaved work from
            // the WAL into the store.
            rows[kept].state = .saved
        } else {
            rows.append(Row(generation: generation, state: .saved, saved: saved, size: size))
        }
        if document.hasAutosavedWork {
            rows.append(Row(state: .autosaved, saved: document.autosaved ?? saved, size: size))
        }
    }

    var isEmpty: Bool { rows.isEmpty }

    func contains(generation: Int) -> Bool { rows.contains { $0.generation == generation } }

    mutating func removeStates(after generation: Int) { rows.removeAll { $0.generation ?? .max > generation } }

    mutating func removeAutosaved() { rows.removeAll { $0.state == .autosaved } }

    // MARK: Writing

    func write(_ console: Console) {
        if console.isJSON { return console.print(.array(rows.map { .object(Self.members($0, path)) })) }
        var table = Table(
            headings: ["VERSION", "SAVED", "BEFORE", "SIZE", "BYTES", "NAME"],
            alignsRight: [true, false, false, true, true], whole: [0])
        for row in rows {
            table.append([
                Self.label(row), ValueText.moment(row.saved), row.reason ?? "", String(row.size), String(row.bytes),
                (row.isPinned ? "* " : "") + (row.name ?? ""),
            ])
        }
        table.write(to: console)
    }

    /// The label of a state in the form that can follow `DOC@`.
    private static func label(_ row: Row) -> String {
        let number = row.generation.map(String.init)
        return row.state == .version
            ? number ?? "" : [number, row.state.rawValue].compactMap { $0 }.joined(separator: ", ")
    }

    private static let reasonOfNewest = "newest"

    private static func members(_ row: Row, _ path: String) -> [String: JSONValue] {
        [
            "version": row.generation.map { .int($0) } ?? .null, "saved": .string(ValueText.moment(row.saved)),
            "reason": .string(row.reason ?? reasonOfNewest),
            "size": .int(row.size), "bytes": .int(row.bytes), "pinned": .bool(row.isPinned),
            "name": row.name.map { .string($0) } ?? .null,
            "state": .string(row.state.rawValue),
            "document": .string(path + "@" + (row.generation.map(String.init) ?? row.state.rawValue)),
        ]
    }

    /// One version, after a change or, with `--dry-run`, unchanged.
    static func json(_ version: DocumentVersion, path: String, isDryRun: Bool) -> JSONValue {
        .object(members(Row(version), path).merging(["dryRun": .bool(isDryRun)]) { $1 })
    }
}

extension VersionList.Row {
    fileprivate init(_ version: DocumentVersion) {
        self.init(
            generation: version.generation, state: .version, saved: version.saved, reason: version.reason.description,
            size: version.size, bytes: version.bytes,
            isPinned: version.isPinned, name: version.name)
    }
}
