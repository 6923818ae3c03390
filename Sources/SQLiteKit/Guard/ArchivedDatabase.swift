package import FileSystem
internal import SQLiteFile
internal import Synchronization

/// A database that is stored contiguously and uncompressed within a larger file such as a zip
/// archive.
///
/// The file is only read, only within that range, and its identity is checked against the one at
/// creation of this object: a file that was changed or truncated since causes an error, never a
/// mixture of two states. If the file was replaced by another one of the same name, the old one is
/// still read.
///
///     let database = try ArchivedDatabase("Name.folio", offset: 4096, length: 40_960, expecting: identity)
///     let connection = try Connection.openForEditing(database, workingPath: "<working set>/store/store.sqlite")
package final class ArchivedDatabase: Sendable {
    /// Verifies bytes of the database that were just read: for checksums that an archive stores.
    package typealias Check = @Sendable (_ bytes: UnsafeRawBufferPointer, _ offset: Int64) throws -> Bool

    /// The path of the archive as given by the caller.
    package let path: String
    /// The archive's identity when this object was created.
    package let identity: FileIdentity
    package let offset: Int64
    package let length: Int64
    private let file: File
    private let check: Check?
    /// Reads are extended to multiples of this number of bytes, within the database, so that
    /// checksums can be verified.
    private let checkedBlock: Int
    /// The reason why the last read failed. SQLite only reports a number.
    private let failure = Mutex<SQLiteError?>(nil)

    /// Uses a database in a file that is open already, so that it is the very file whose directory
    /// was read.
    /// - Throws: `SQLiteError`: `.changed` if the file's identity is not the `expected` one,
    ///   `.corrupt` if the range is outside the file, `.notADatabase` if it is too short for a
    ///   database.
    package init(
        _ file: File, offset: Int64, length: Int64, expecting expected: FileIdentity? = nil, checkedBlock: Int = 1,
        check: Check? = nil
    ) throws {
        precondition(checkedBlock > 0, "A block has bytes")
        self.checkedBlock = checkedBlock
        path = file.path
        self.file = file
        self.offset = offset
        self.length = length
        self.check = check
        do {
            identity = try file.status().identity
        } catch {
            throw Self.unreadable(file.path, error)
        }
        if let expected, expected != identity { throw Self.changed(path) }
        guard offset >= 0, length >= 0, offset <= identity.size, length <= identity.size - offset else {
            throw SQLiteError(.corrupt, message: "the database lies outside the file", path: path)
        }
        guard length >= DatabaseHeader.pageSizes.lowerBound else {
            throw SQLiteError(.notADatabase, message: "\(length) bytes are no database", path: path)
        }
    }

    /// Opens the archive, which must be a regular file and not a link, and uses the database in it.
    package convenience init(
        _ path: String, offset: Int64, length: Int64, expecting expected: FileIdentity, check: Check? = nil
    ) throws {
        let file: File
        do { file = try File(path, .read) } catch { throw Self.unreadable(path, error) }
        try self.init(file, offset: offset, length: length, expecting: expected, check: check)
    }

    /// Throws `.changed` if the file has been changed, or its name refers to another file.
    package func checkUnchanged() throws {
        do {
            guard try file.status().identity == identity, try Disk.identity(of: path) == identity else {
                throw Self.changed(path)
            }
        } catch let error as FileSystemError {
            throw Self.unreadable(path, error)
        }
    }

    // MARK: For the VFS

    /// Fills `buffer` from offset `place` of the database, as far as it extends. Returns the number
    /// of bytes, or nil after a failure, which `takeFailure` returns.
    func read(into buffer: UnsafeMutableRawBufferPointer, at place: Int64) -> Int? {
        do {
            let count = Int(max(0, min(Int64(buffer.count), length - place)))
            let block = Int64(check == nil ? 1 : checkedBlock)
            let start = place / block * block, end = min((place + Int64(count) + block - 1) / block * block, length)
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            if count == 0 || (start == place && end == place + Int64(count)) {
                try readChecked(into: part, at: place)
            } else {
                try withUnsafeTemporaryAllocation(byteCount: Int(end - start), alignment: 16) { whole in
                    try readChecked(into: whole, at: start)
                    part.copyMemory(from: UnsafeRawBufferPointer(rebasing: whole[Int(place - start)...].prefix(count)))
                }
            }
            return count
        } catch {
            failure.withLock { $0 = error as? SQLiteError ?? Self.unreadable(path, error) }
            return nil
        }
    }

    private func readChecked(into part: UnsafeMutableRawBufferPointer, at place: Int64) throws {
        let read = try file.read(into: part, at: offset + place)
        // Check afterwards: if the file is unchanged now, it was unchanged during the read.
        guard try file.status().identity == identity, read == part.count else { throw Self.changed(path) }
        if let check, try !check(UnsafeRawBufferPointer(part), place) {
            throw SQLiteError(.corrupt, message: "its content at byte \(place) is damaged", path: path)
        }
    }

    /// Returns and clears the reason why the last read failed.
    func takeFailure() -> SQLiteError? {
        failure.withLock { failure in
            defer { failure = nil }
            return failure
        }
    }

    private static func changed(_ path: String) -> SQLiteError {
        SQLiteError(.changed, message: "the archive was changed by another program", path: path)
    }

    private static func unreadable(_ path: String, _ error: any Error) -> SQLiteError {
        let system = error as? FileSystemError
        return SQLiteError(
            system?.code == .inputOutput ? .inputOutput : .cannotOpen, message: system?.message ?? "\(error)",
            path: path,
            systemError: system?.errno ?? 0)
    }

    // MARK: Handover to the VFS

    /// The URI parameter that identifies the database.
    static let parameter = "folio-archived"
    /// Databases that are being opened. SQLite only passes their names to the VFS.
    private static let pending = Mutex<(next: Int, databases: [Int: ArchivedDatabase])>((0, [:]))

    /// Runs `body` with a token by which the VFS finds this database.
    func whileOpening<Result>(_ body: (Int) throws -> Result) rethrows -> Result {
        let token = Self.pending.withLock { pending in
            pending.next += 1
            pending.databases[pending.next] = self
            return pending.next
        }
        defer { Self.pending.withLock { _ = $0.databases.removeValue(forKey: token) } }
        return try body(token)
    }

    static func pending(_ token: Int) -> ArchivedDatabase? { pending.withLock { $0.databases[token] } }
}
