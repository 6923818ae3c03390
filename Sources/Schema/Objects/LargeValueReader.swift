public import Foundation

/// The source of a large value's bytes. Every reader opens it anew.
package protocol LargeValueSource: Sendable {
    /// The name by which a store refers to the value; nil if no store contains it.
    var fileName: String? { get }
    /// - Throws: An error if the bytes can't be opened.
    func open() throws -> any LargeValueInput
    /// All bytes.
    /// - Throws: An error that names `limit` if there are more bytes.
    func data(limit: Int64) throws -> Data
}

/// An open large value.
package protocol LargeValueInput: AnyObject {
    var count: Int64 { get }
    /// Reads bytes from `offset` on into the buffer, up to the end of the value. Returns the number
    /// of bytes read, which is zero only at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int
}

/// Reads a ``LargeValue`` sequentially. Not thread-safe: use one reader in one task at a time.
///
/// ```swift
/// let reader = try recording.sound.reader()
/// reader.offset = 1 << 20
/// let piece = try reader.read(upTo: 4096)
/// ```
public final class LargeValueReader {
    package let input: any LargeValueInput
    /// The size of the value in bytes.
    public let count: Int64
    /// The position of the next read, in bytes from the start. Setting it is free, except for a
    /// compressed entry of an archive: that is decompressed again up to the position.
    public var offset: Int64 = 0

    package static let pieceSize = 1 << 20

    package init(_ input: any LargeValueInput) {
        self.input = input
        count = input.count
    }

    /// Fills a buffer with the next bytes.
    ///
    /// - Returns: The number of bytes read, which is less than the size of the buffer only at the
    ///   end of the value.
    /// - Throws: An error if the file can't be read.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        var done = 0
        while done < buffer.count {
            let read = try input.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[done...]), at: offset)
            if read == 0 { break }
            offset += Int64(read)
            done += read
        }
        return done
    }

    /// The next bytes, at most `limit` of them; nil at the end of the value. `limit` must be
    /// positive.
    ///
    /// - Throws: An error if the file can't be read.
    public func read(upTo limit: Int) throws -> Data? {
        precondition(limit > 0, "A piece has bytes")
        let size = Int(min(Int64(limit), max(count - offset, 0)))
        guard size > 0 else {
            // The read at the end lets the input report errors of the value as a whole, such as a
            // checksum.
            return try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) {
                try read(into: $0) == 0 ? nil : Data($0)
            }
        }
        var piece = Data(count: size)
        let done = try piece.withUnsafeMutableBytes { try read(into: $0) }
        return done == 0 ? nil : piece.prefix(done)
    }

    /// Calls `body` with the bytes from the current position to the end. The pieces are valid only
    /// during the call.
    package func forEachRemainingPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.pieceSize, alignment: 4096)
        defer { buffer.deallocate() }
        while true {
            let done = try read(into: buffer)
            if done > 0 { try body(UnsafeRawBufferPointer(rebasing: buffer[..<done])) }
            if done < buffer.count { return }
        }
    }
}

/// Bytes in memory as the input of a reader.
final class BytesInput: LargeValueInput {
    private let bytes: Data

    init(_ bytes: Data) { self.bytes = bytes }

    var count: Int64 { Int64(bytes.count) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) -> Int {
        guard offset >= 0, offset < count else { return 0 }
        let rest = bytes.dropFirst(Int(offset)).prefix(buffer.count)
        buffer.copyBytes(from: rest)
        return rest.count
    }
}

/// The bytes, in memory, of a value that had another source before it was saved. Stores that store
/// values inline use this.
package struct BytesSource: LargeValueSource {
    private let bytes: Data

    package init(_ bytes: Data) { self.bytes = bytes }

    package var fileName: String? { nil }
    package func open() -> any LargeValueInput { BytesInput(bytes) }
    package func data(limit: Int64) -> Data { bytes }
}
