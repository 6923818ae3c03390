import FileSystem
import Foundation
import Glibc

/// Where a sweep works: a folder with the documents, the state folder and the folder for temporary
/// files of the processes that are watched.
struct Place: Sendable {
    let root: String
    /// The part that is made anew for each point.
    var work: String { root + "/work" }
    /// The part as it is before the operation.
    var original: String { root + "/original" }

    private static let folders = ["documents", "temporary", "state", "runtime"]

    init() throws {
        // In memory where possible: what is tested is the order of calls, not the disk.
        let folder = access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : FileManager.default.temporaryDirectory.path
        root = FilePath.join(folder, "folio-faults-\(UniqueName.make())")
        try Disk.makeDirectory(root, mode: 0o700)
        // Before anybody looks at them.
        for (name, folder) in [("XDG_STATE_HOME", "state"), ("TMPDIR", "temporary"), ("XDG_RUNTIME_DIR", "runtime")] {
            setenv(name, "\(root)/work/\(folder)", 1)
        }
        setenv("SWIFT_BACKTRACE", "enable=no", 1)
    }

    func remove() { try? Disk.removeTree(root) }

    /// Empty folders to begin with; in the folder that is there, for another file system.
    func begin(inExisting isThere: Bool = false) throws {
        if !isThere {
            try Disk.removeTree(work)
            try Disk.makeDirectory(work)
        }
        for name in Self.folders { try Disk.makeDirectory(FilePath.join(work, name)) }
    }

    func keepAsOriginal() throws {
        try Disk.removeTree(original)
        try Disk.copyTree(work, to: original)
    }

    func restoreOriginal() throws {
        try Disk.removeTree(work)
        try Disk.copyTree(original, to: work)
    }

    func path(_ name: String) -> String { "\(work)/documents/\(name).folio" }
    /// The documents of a merge beside A.
    var base: URL { URL(fileURLWithPath: "\(work)/temporary/base.folio") }
    var theirs: URL { URL(fileURLWithPath: "\(work)/temporary/theirs.folio") }

    func url(_ name: String) -> URL { URL(fileURLWithPath: path(name)) }

    /// What lies about that is no part of the documents named, when nothing is open. The system's
    /// folder for temporary files does not count: whoever is killed can't clear it.
    func strays(besides names: [String]) throws -> [String] {
        var strays = try Disk.list(work + "/documents").map(\.name).filter { name in
            !names.contains { "\($0).folio" == name }
        }
        for folder in Self.folders.dropFirst(2) { strays += try files(folder, in: work) }
        for name in names where try Disk.kind(of: path(name)) == .directory {
            strays += try files("\(name).folio", in: work + "/documents").filter { !Self.isPart($0) }
        }
        return strays
    }

    /// Files, and what is neither file nor folder, by their paths in `top`.
    private func files(_ name: String, in top: String) throws -> [String] {
        guard try Disk.kind(of: FilePath.join(top, name)) == .directory else { return [name] }
        return try Disk.list(FilePath.join(top, name)).flatMap { try files("\(name)/\($0.name)", in: top) }
    }

    /// Whether a path is that of a part that a closed package may have.
    private static func isPart(_ path: String) -> Bool {
        let part = path.drop { $0 != "/" }.dropFirst()
        return part.wholeMatch(
            of:
                /mimetype|manifest\.json|extra\/folio-merge\/conflicts\.json|model\/[^\/.]+\.xcdatamodel\/contents|store\/store\.sqlite|content\/[0-9a-f]{2}\/[0-9A-F-]{36}|versions\/(index\.json|[0-9]+(\.[0-9]+)?\.(delta|base))/
        ) != nil
    }
}
