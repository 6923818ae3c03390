import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import SQLiteFile
import SQLiteKit
import Testing

/// A store that is saved as a document's is: commits into the WAL, the version kept, then the
/// checkpoint. Remembers what every saved state was, byte by byte.
final class VersionedStore {
    let folder: String
    let versions: VersionStore
    private(set) var connection: Connection
    private(set) var state: SavedState
    private(set) var previous: SavedState
    /// The main file of each saved state, by generation.
    private(set) var snapshots: [Int: [UInt8]] = [:]
    private var commits = 0

    var path: String { folder + "/store.sqlite" }
    static let start = Date(timeIntervalSince1970: 1_700_000_000)

    init(
        in folder: String, rows: Int = 200, policy: VersionStore.BasePolicy? = nil,
        clone: (@Sendable (DatabaseFiles, String) throws -> Bool)? = nil
    ) throws {
        self.folder = folder
        // Without a clone of the test's own, as where the file system has none, so that the results
        // are the same everywhere.
        versions = VersionStore(
            folder: folder + "/versions", policy: policy ?? VersionStore.BasePolicy(), clone: clone ?? { _, _ in false }
        )
        connection = try Connection(folder + "/store.sqlite", .create)
        state = SavedState(generation: 1, saved: Self.start)
        previous = state
        try connection.execute("PRAGMA auto_vacuum=INCREMENTAL")
        try prepareConnection()
        try connection.execute("CREATE TABLE t(id INTEGER PRIMARY KEY, a); CREATE INDEX i ON t(a)")
        try edit {
            for row in 1...rows {
                try connection.run("INSERT INTO t VALUES (?, ?)", [.integer(Int64(row)), .text(text(row))])
            }
        }
        #expect(try connection.checkpoint(.truncate).isComplete)
        snapshots[1] = try main()
    }

    func text(_ seed: Int) -> String { String(repeating: "\(seed)-", count: 5 + seed % 40) }

    func main() throws -> [UInt8] { try connection.withFiles { try Self.bytes(of: $0.state(at: nil)) } }

    private static func bytes(of state: DatabaseState) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: state.pageSize)
        for page in 0..<state.pageCount {
            let count = try buffer.withUnsafeMutableBytes { try state.read(page: page, into: $0) }
            bytes += buffer[..<count]
        }
        return bytes
    }

    /// An autosave.
    func edit(_ body: () throws -> Void) throws {
        try connection.transaction(.immediate, body)
        commits += 1
    }

    func change(_ id: Int, _ seed: Int) throws {
        try edit { try connection.run("UPDATE t SET a = ? WHERE id = ?", [.text(text(seed)), .integer(Int64(id))]) }
    }

    /// What follows the commit of a save, but for the checkpoint.
    func commitSave(after seconds: Double = 60) throws {
        previous = state
        state = SavedState(generation: state.generation + 1, counter: commits, saved: state.saved + seconds)
        snapshots[state.generation] = try connection.withFiles { try Self.bytes(of: $0.current) }
    }

    @discardableResult
    func keep(references: ContentReferences = ContentReferences()) throws -> DocumentVersion? {
        try connection.withFiles { try versions.keep($0, saved: state, previous: previous, references: references) }
    }

    @discardableResult
    func checkpoint() throws -> Bool { try connection.checkpoint(.truncate).isComplete }

    func save(after seconds: Double = 60, references: ContentReferences = ContentReferences()) throws {
        try commitSave(after: seconds)
        try keep(references: references)
        try checkpoint()
    }

    func reopen() throws {
        try connection.close()
        connection = try Connection(path, .readWrite)
        try prepareConnection()
    }

    private func prepareConnection() throws {
        try connection.prepareForEditing()
        // Whether SQLite makes its commits durable is not the question here.
        try connection.setSynchronous(.off)
        // A checkpoint that a reader holds up fails at once.
        try connection.execute("PRAGMA busy_timeout=1")
    }

    func close() throws { try connection.close() }

    func restored(_ number: Int) throws -> [UInt8] {
        let target = folder + "/restored"
        defer { _ = try? Disk.removeFileIfPresent(target) }
        try connection.withFiles { try versions.restore(number, from: $0, to: target) }
        return try Disk.read(target, limit: 1 << 30)
    }

    /// Every version is what was saved, and nothing else lies in the folder.
    func check(_ comment: Comment? = nil) throws {
        for version in try versions.list() {
            let snapshot = try #require(snapshots[version.generation], comment)
            let bytes = try restored(version.number)
            #expect(
                bytes == snapshot,
                "version \(version.number) of generation \(version.generation); \(String(describing: comment))")
            #expect(version.size == Int64(snapshot.count))
        }
    }

    /// The files in the folder that are neither the index nor named by it.
    func strays() throws -> [String] {
        let before = try Disk.list(versions.folder).map(\.name)
        let copy = folder + "/strays"
        try Disk.copyTree(versions.folder, to: copy)
        defer { try? Disk.removeTree(copy) }
        try VersionStore(folder: copy).removeStrays()
        let after = Set(try Disk.list(copy).map(\.name))
        return before.filter { !after.contains($0) }
    }
}

/// Numbers that look random and are the same each time.
struct Dice: RandomNumberGenerator {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
        return word ^ word >> 31
    }
}
