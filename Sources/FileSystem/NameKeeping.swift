internal import Glibc
internal import Synchronization

/// Whether a file system gives names back as they were written. Some give them back in other
/// letters; then files that are found by listing a folder have other names than they were given.
package enum NameKeeping {
    /// The result for a folder in tests. Nil, or a result of nil, tries it out.
    @TaskLocal package static var assumed: (@Sendable (_ folder: String) -> Bool?)?

    /// The results by device, so that each place is tried out once.
    private static let known = Mutex<[UInt64: Bool]>([:])

    /// Writes a file to a folder, looks for its name and its content there, and removes it. Local
    /// file systems are not tried out.
    package static func holds(in folder: String) throws -> Bool {
        if let answer = assumed?(folder) { return answer }
        guard try Volume.of(folder) != .local, let device = try Disk.identity(of: folder)?.device else { return true }
        if let answer = known.withLock({ $0[device] }) { return answer }
        let answer = try tryOut(folder)
        known.withLock { $0[device] = answer }
        return answer
    }

    private static func tryOut(_ folder: String) throws -> Bool {
        let path = FilePath.sibling(
            of: FilePath.join(folder, "Aa"), tag: Disk.temporaryTag, id: UniqueName.make())
        let bytes = Array("Name".utf8)
        let file = try File(path, .create(mode: 0o600))
        defer { _ = try? Disk.removeFileIfPresent(path) }
        try file.append(bytes)
        file.close()
        let names = try Disk.names(in: folder) { $0.count > 3 && $0[0] == UInt8(ascii: ".") }
        guard names.contains(FilePath.name(path)) else { return false }
        return try Disk.status(of: path)?.size == Int64(bytes.count) && Disk.read(path, limit: 100) == bytes
    }
}
