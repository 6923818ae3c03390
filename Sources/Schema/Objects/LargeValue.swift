public import Foundation
internal import Synchronization

/// A binary value that may be stored in a file of its own beside the store, and that is read on
/// demand, piece by piece if needed.
///
/// A large value is immutable. Two large values are equal if they refer to the same file of a
/// store, or if their bytes are in memory and equal.
///
/// ```swift
/// recording.sound = try LargeValue(contentsOf: url)     // two gigabytes, none of them in memory
/// try await document.save()
/// let reader = try recording.sound.reader()
/// while let piece = try reader.read(upTo: 1 << 20) { play(piece) }
/// try recording.sound.copy(to: elsewhere)
/// ```
public final class LargeValue: Sendable, Hashable {
    private enum Content: Sendable {
        case bytes(Data)
        case source(any LargeValueSource)
    }

    private let content: Mutex<Content>

    /// Creates a value from bytes in memory.
    public init(_ bytes: Data) {
        content = Mutex(.bytes(bytes))
    }

    /// Creates a value whose bytes are read from a source.
    package init(_ source: any LargeValueSource) {
        content = Mutex(.source(source))
    }

    /// The size of the largest value that ``data()`` returns, 2 GiB in bytes. Read larger values
    /// with a ``reader()``.
    public static let largestData: Int64 = 1 << 31

    private var source: (any LargeValueSource)? {
        if case .source(let source) = content.withLock({ $0 }) { source } else { nil }
    }

    /// The bytes if they are in memory; nil if they must be read.
    package var bytesAtHand: Data? {
        if case .bytes(let bytes) = content.withLock({ $0 }) { bytes } else { nil }
    }

    /// The name of the store's file that contains the value; nil if the value is stored inline or
    /// not saved yet.
    public var fileName: String? { source?.fileName }

    /// The size in bytes. For a value in a file this asks the file system and reads no content.
    ///
    /// - Throws: An error if the file is missing or can't be opened.
    public var count: Int64 {
        get throws {
            if let bytes = bytesAtHand { return Int64(bytes.count) }
            return try reader().count
        }
    }

    /// All bytes of the value, read from its file if it has one.
    ///
    /// - Throws: `StorageError` with code `tooLarge` for a value of more than ``largestData``
    ///   bytes; an error if the file is missing or can't be read.
    public func data() throws -> Data {
        switch content.withLock({ $0 }) {
        case .bytes(let bytes): bytes
        case .source(let source): try source.data(limit: Self.largestData)
        }
    }

    /// A new reader, positioned at the first byte.
    ///
    /// Readers are independent of each other. The file of the value stays readable while a reader
    /// on it exists.
    ///
    /// - Throws: An error if the file is missing or can't be opened.
    public func reader() throws -> LargeValueReader {
        switch content.withLock({ $0 }) {
        case .bytes(let bytes): LargeValueReader(BytesInput(bytes))
        case .source(let source): LargeValueReader(try source.open())
        }
    }

    /// Calls `body` with all bytes, in pieces. The pieces are valid only during the call.
    package func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        if let bytes = bytesAtHand { return try bytes.withUnsafeBytes { try body($0) } }
        try reader().forEachRemainingPiece(body)
    }

    /// Changes the source of the bytes after a store has saved them. The previous source, such as
    /// an imported file, is then no longer needed.
    ///
    /// The bytes must be the same. Has no effect if the bytes are in memory.
    package func settle(in source: any LargeValueSource) {
        content.withLock { if case .source = $0 { $0 = .source(source) } }
    }

    public static func == (left: LargeValue, right: LargeValue) -> Bool {
        if left === right { return true }
        switch (left.content.withLock { $0 }, right.content.withLock { $0 }) {
        case (.bytes(let a), .bytes(let b)): return a == b
        case (.source(let a), .source(let b)): return a.fileName.map { $0 == b.fileName } ?? false
        default: return false
        }
    }

    public func hash(into hasher: inout Hasher) {
        // The hash must not depend on the file name, because the value gets one when it is saved.
        hasher.combine(bytesAtHand)
    }
}
