public import Foundation

/// Where the bytes of a large value are: opened by everybody who reads.
package protocol LargeValueSource: Sendable {
    /// The name by which a store refers to the value; nil for one that no store has.
    var fileName: String? { get }
    /// - Throws: where there is nothing to be read.
    func open() throws -> any LargeValueInput
    /// All bytes.
    /// - Throws: an error that names `limit` where there are more.
    func data(limit: Int64) throws -> Data
}

/// A large value that is open.
package protocol LargeValueInput: AnyObject {
    var count: Int64 { get }
    /// Fills the buffer from `offset` as far as the value reaches; answers how far that was, which
    /// is zero at the end alone.
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
            // Whoever reads to the end hears what is wrong with the value as a whole.
            return try withUnsafeTemporaryAllocation(byteCount: 1, alignment: 1) {
                try read(into: $0) == 0 ? nil : Data($0)
            }
        }
        var piece = Data(count: size)
        let done = try piece.withUnsafeMutableBytes { try read(into: $0) }
        return done == 0 ? nil : piece.prefix(done)
    }

    /// Hands the bytes from here to the end to `body`; the pieces are valid only within the call.
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

/// Bytes that are in memory, read like those of a file.
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

/// Bytes of a value that was read from elsewhere, kept in memory since it was saved to a store that
/// keeps them there.
package struct BytesSource: LargeValueSource {
    private let bytes: Data

    package init(_ bytes: Data) { self.bytes = bytes }

    package var fileName: String? { nil }
    package func open() -> any LargeValueInput { BytesInput(bytes) }
    package func data(limit: Int64) -> Data { bytes }
}
