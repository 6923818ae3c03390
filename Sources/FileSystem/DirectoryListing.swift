internal import CSystem
internal import Glibc

/// One name in a folder.
package struct DirectoryEntry: Sendable, Hashable {
    package let name: String
    package let kind: FileKind
}

extension Disk {
    /// The names in a folder, sorted, without `.` and `..`. Throws `.invalidPath` where one is no
    /// valid UTF-8.
    package static func list(_ path: String) throws -> [DirectoryEntry] {
        try Directory(path, followingLink: true).entries()
    }

    /// The names in a folder that are valid UTF-8 and that `isWanted` takes by their bytes, in no
    /// order: for looking for names of our own in folders that belong to others. What they name is
    /// not looked at.
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
    /// The names in this folder, sorted, without `.` and `..`.
    /// - Parameter omitsInvalidNames: Whether names that are no valid UTF-8 are passed over; else
    ///   they throw `.invalidPath`.
    package func entries(omittingInvalidNames omitsInvalidNames: Bool = false) throws -> [DirectoryEntry] {
        try entries(from: nil, omitsInvalidNames)
    }

    private func entries(from position: Int32?, _ omitsInvalidNames: Bool) throws -> [DirectoryEntry] {
        var entries: [DirectoryEntry] = []
        try readNames(from: position, omittingInvalid: omitsInvalidNames) { name, kind in
            // What was removed since the names were read is not there.
            if let kind = try kind ?? status(of: name)?.kind { entries.append(DirectoryEntry(name: name, kind: kind)) }
        }
        return entries.sorted { $0.name < $1.name }
    }

    /// The same, read from this folder's own descriptor, for folders that one piece of work has to
    /// itself: it costs no other one.
    package func ownEntries(omittingInvalidNames omitsInvalidNames: Bool = false) throws -> [DirectoryEntry] {
        try perform(.list, path) { negated(lseek(descriptor, 0, SEEK_SET)) }
        return try entries(from: descriptor, omitsInvalidNames)
    }

    /// The names as `entries` has them, in no order: what they stand for is not looked at.
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

    /// The names as the file system has them, each with its NUL.
    func rawNames() throws -> [[CChar]] {
        var names: [[CChar]] = []
        try readRawNames { name, _ in names.append(name.map { CChar(bitPattern: $0) } + [0]) }
        return names
    }

    /// - Parameter position: A descriptor of the folder that nobody else reads names from; nil for
    ///   a new one.
    private func readRawNames(from position: Int32? = nil, _ body: (UnsafeRawBufferPointer, FileKind?) throws -> Void)
        throws
    {
        if let position { return try RawListing.read(position, path, body) }
        // A descriptor of its own: the position of ours stays.
        let copy = try openDescriptor(".", O_RDONLY | O_DIRECTORY | O_NONBLOCK, in: descriptor)
        defer { _ = close(copy) }
        try RawListing.read(copy, path, body)
    }
}

/// The names of an open folder as the kernel gives them: without a stream of the C library's, which
/// costs as much again as the names.
private enum RawListing {
    // The layout of `struct linux_dirent64`.
    private static let lengthOffset = 16, kindOffset = 18, nameOffset = 19
    /// What the stack has room for: most folders of a document have fewer names. One name takes at
    /// most 280 bytes.
    private static let firstBufferSize = 1_024
    private static let bufferSize = 16 << 10

    /// Calls `body` with each name but `.` and `..`, and with the kind of what it names where the
    /// file system keeps that beside the name.
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

    /// Gives `body` as many names as there is room for; answers whether there were any.
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
    /// The kind that a folder keeps beside a name; nil where it keeps none.
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
