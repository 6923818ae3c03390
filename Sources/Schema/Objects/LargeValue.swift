public import Foundation
internal import Synchronization

/// A binary value that may be kept in a file of its own beside the store, and is then read only
/// when asked for, piece by piece if need be.
///
/// The value is immutable: its bytes never change under it. Two large values are equal if they are
/// the same file of a store or the same bytes in memory.
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

    /// A value whose bytes are at hand.
    public init(_ bytes: Data) {
        content = Mutex(.bytes(bytes))
    }

    /// A value that is read from somewhere.
    package init(_ source: any LargeValueSource) {
        content = Mutex(.source(source))
    }

    /// The greatest value that ``data()`` makes: 2 GiB. Larger ones are read by a ``reader()``.
    public static let largestData: Int64 = 1 << 31

    private var source: (any LargeValueSource)? {
        if case .source(let source) = content.withLock({ $0 }) { source } else { nil }
    }

    /// The bytes where they are in memory, nil where they have to be read.
    package var bytesAtHand: Data? {
        if case .bytes(let bytes) = content.withLock({ $0 }) { bytes } else { nil }
    }

    /// The name of the store's file that holds the value, nil if it is held inline or no store has
    /// it yet.
    public var fileName: String? { source?.fileName }

    /// How many bytes the value has. Asks the file system where it has a file; reads nothing.
    /// - Throws: what opening the file throws, a missing file included.
    public var count: Int64 {
        get throws {
            if let bytes = bytesAtHand { return Int64(bytes.count) }
            return try reader().count
        }
    }

    /// The bytes, read from the file if there is one.
    /// - Throws: what reading the file throws, a missing file included; `StorageError.tooLarge` for
    ///   a value of more than ``largestData`` bytes.
    public func data() throws -> Data {
        switch content.withLock({ $0 }) {
        case .bytes(let bytes): bytes
        case .source(let source): try source.data(limit: Self.largestData)
        }
    }

    /// Begins to read the value from its first byte on. Each reader has a place of its own; the
    /// file that it reads stays readable as long as there is the reader.
    /// - Throws: what opening the file throws, a missing file included.
    public func reader() throws -> LargeValueReader {
        switch content.withLock({ $0 }) {
        case .bytes(let bytes): LargeValueReader(BytesInput(bytes))
        case .source(let source): LargeValueReader(try source.open())
        }
    }

    /// Hands all bytes to `body`, piece by piece; the pieces are valid only within the call.
    package func forEachPiece(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        if let bytes = bytesAtHand { return try bytes.withUnsafeBytes { try body($0) } }
        try reader().forEachRemainingPiece(body)
    }

    /// Says where else the bytes of this value are, now that a store has them: what it was read
    /// from before need not be there any longer.
    ///
    /// The bytes must be the same. Does nothing for a value whose bytes are at hand.
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
        // A value that is saved gets a name, and must not get another hash by that.
        hasher.combine(bytesAtHand)
    }
}
