internal import CSystem
internal import Glibc

/// An entry of a folder.
package struct DirectoryEntry: Sendable, Hashable {
    package let name: String
    package let kind: FileKind
}

extension Disk {
    /// The entries of a folder, sorted by name, without `.` and `..`. Throws `.invalidPath` if a
    /// name is not valid UTF-8.
    package static func list(_ path: String) throws -> [DirectoryEntry] {
        try Directory(path, followingLink: true).entries()
    }

    /// The names in a folder that are valid UTF-8 and that `isWanted` accepts, in no order. The
    /// files are not examined. For finding Folio's own files in folders that also contain other
    /// files.
    package static func names(
        in path: String, followingLink: Bool = true, where isWanted: (UnsafeRawBufferPointer) -> Bool = { _ in true }
    ) throws -> [String] {
        let descriptor = try openDescriptor(
            path, O_RDONLY | O_DIRECTORY | O_NONBLOCK | (followingLink ? 0 : O_NOFOLLOW))
        defer { _ = close(descriptor) }
        var names: [String] = []
        try RawListing.read(descriptor, path) { name, _ in
            if isWanted(name), let text = String(validating: name, as: UTF8.self) { names.append(text) }
        }
        return names
    }
}

extension Directory {
    /// The entries of this folder, sorted by name, without `.` and `..`.
    /// - Parameter omitsInvalidNames: Whether names that are not valid UTF-8 are skipped; otherwise
    ///   they throw `.invalidPath`.
    package func entries(omittingInvalidNames omitsInvalidNames: Bool = false) throws -> [DirectoryEntry] {
        try entries(from: nil, omitsInvalidNames)
    }

    private func entries(from position: Int32?, _ omitsInvalidNames: Bool) throws -> [DirectoryEntry] {
        var entries: [DirectoryEntry] = []
        try readNames(from: position, omittingInvalid: omitsInvalidNames) { name, kind in
            // An entry without a status has been removed since its name was read.
            if let kind = try kind ?? status(of: name)?.kind { entries.append(DirectoryEntry(name: name, kind: kind)) }
        }
        return entries.sorted { $0.name < $1.name }
    }

    /// Like `entries`, but reads from this folder's own descriptor, which saves opening another
    /// one. For folders that are not read concurrently.
    package func ownEntries(omittingInvalidNames omitsInvalidNames: Bool = false) throws -> [DirectoryEntry] {
        try perform(.list, path) { negated(lseek(descriptor, 0, SEEK_SET)) }
        return try entries(from: descriptor, omitsInvalidNames)
    }

    /// The names in this folder, in no order. The files are not examined.
    package func names() throws -> [String] {
        var names: [String] = []
        try readNames { name, _ in names.append(name) }
        return names
    }

    private func readNames(
        from position: Int32? = nil, omittingInvalid omits: Bool = false, _ body: (String, FileKind?) throws -> Void
    ) throws {
        try readRawNames(from: position) { raw, kind in
            guard let name = String(validating: raw, as: UTF8.self) else {
                if omits { return }
                throw FileSystemError(
                    .invalidPath, operation: "list", path: path, detail: "a name in it is no valid UTF-8")
            }
            try body(name, kind)
        }
    }

    /// The names as bytes, each with its terminating NUL.
    func rawNames() throws -> [[CChar]] {
        var names: [[CChar]] = []
        try readRawNames { name, _ in names.append(name.map { CChar(bitPattern: $0) } + [0]) }
        return names
    }

    /// - Parameter position: A descriptor of the folder from which nothing else reads names; nil to
    ///   open a new one.
    private func readRawNames(from position: Int32? = nil, _ body: (UnsafeRawBufferPointer, FileKind?) throws -> Void)
        throws
    {
        if let position { return try RawListing.read(position, path, body) }
        // A separate descriptor leaves the read position of this folder's descriptor unchanged.
        let copy = try openDescriptor(".", O_RDONLY | O_DIRECTORY | O_NONBLOCK, in: descriptor)
        defer { _ = close(copy) }
        try RawListing.read(copy, path, body)
    }
}

/// Reads the names of an open folder from the kernel directly. A directory stream of the C library
/// would double the cost.
private enum RawListing {
    // The layout of `struct linux_dirent64`.
    private static let lengthOffset = 16, kindOffset = 18, nameOffset = 19
    /// Small enough for the stack. Most folders of a document fit in it. One entry takes at most
    /// 280 bytes.
    private static let firstBufferSize = 1_024
    private static let bufferSize = 16 << 10

    /// Calls `body` with each name except `.` and `..`, and with the kind of the file if the file
    /// system returns it.
    static func read(_ descriptor: Int32, _ path: String, _ body: (UnsafeRawBufferPointer, FileKind?) throws -> Void)
        throws
    {
        try perform(.list, path) { 0 }
        let isWhole = try withUnsafeTemporaryAllocation(byteCount: firstBufferSize, alignment: 8) { buffer in
            try !readSome(descriptor, path, buffer, body) || !readSome(descriptor, path, buffer, body)
        }
        guard !isWhole else { return }
        try withUnsafeTemporaryAllocation(byteCount: bufferSize, alignment: 8) { buffer in
            while try readSome(descriptor, path, buffer, body) {}
        }
    }

    /// Reads as many names as fit in the buffer. Returns false at the end.
    private static func readSome(
        _ descriptor: Int32, _ path: String, _ buffer: UnsafeMutableRawBufferPointer,
        _ body: (UnsafeRawBufferPointer, FileKind?) throws -> Void
    ) throws -> Bool {
        let count = Int(folio_read_directory(descriptor, buffer.baseAddress, buffer.count))
        if count < 0 { throw FileSystemError(operation: "list", path: path, errno: Int32(-count)) }
        var offset = 0
        while offset < count {
            let record = UnsafeRawBufferPointer(rebasing: buffer[offset..<count])
            let length = Int(record.load(fromByteOffset: lengthOffset, as: UInt16.self))
            let room = UnsafeRawBufferPointer(rebasing: record[nameOffset..<length])
            let name = UnsafeRawBufferPointer(rebasing: room[..<(room.firstIndex(of: 0) ?? room.count)])
            if !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8) {
                try body(name, FileKind(entryType: record.load(fromByteOffset: kindOffset, as: UInt8.self)))
            }
            offset += length
        }
        return count > 0
    }
}

extension FileKind {
    /// The file type in a directory entry; nil if the file system does not return it.
    fileprivate init?(entryType: UInt8) {
        switch Int(entryType) {
        case Int(DT_UNKNOWN): return nil
        case Int(DT_REG): self = .file
        case Int(DT_DIR): self = .directory
        case Int(DT_LNK): self = .symbolicLink
        default: self = .other
        }
    }
}
