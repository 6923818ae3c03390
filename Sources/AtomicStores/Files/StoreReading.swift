import FileSystem
import Storage

/// The file of a store while it is read, with its identity at the beginning.
struct StoreReading {
    let identity: FileIdentity
    private let file: File

    /// The greatest size of a file to read into memory.
    private static let largestFile = 4 << 30

    init(_ path: String) throws {
        file = try File(path, .read)
        identity = try file.status().identity
    }

    /// The whole content of the file.
    func bytes() throws -> [UInt8] {
        let bytes = try file.readAll(limit: Self.largestFile)
        guard bytes.count == identity.size else { throw Self.changed(file.path) }
        try checkUnchanged()
        return bytes
    }

    /// - Throws: `StorageError.busy` if the file was changed since the reading began.
    private func checkUnchanged() throws {
        guard try file.status().identity == identity else { throw Self.changed(file.path) }
    }

    private static func changed(_ path: String) -> StorageError {
        StorageError(.busy, "The store was changed by another program while it was read", path: path)
    }
}
