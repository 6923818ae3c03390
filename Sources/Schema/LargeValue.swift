public import Foundation

/// A binary value that may be kept in a file of its own beside the store, and is then read only when asked for.
///
/// The value is immutable: its bytes, once written, never change under it. Two large values are equal if they are the same file or the same bytes in memory.
public final class LargeValue: Sendable, Hashable {
    private enum Content: Sendable {
        case bytes(Data)
        case file(name: String, load: @Sendable () throws -> Data)
    }

    private let content: Content

    /// A value whose bytes are at hand.
    public init(_ bytes: Data) {
        content = .bytes(bytes)
    }

    /// A value in the file called `name`, whose bytes `load` reads; `load` throws where the file is missing.
    package init(fileNamed name: String, load: @escaping @Sendable () throws -> Data) {
        content = .file(name: name, load: load)
    }

    /// The name of the file that holds the value, nil if it is held inline.
    public var fileName: String? {
        if case .file(let name, _) = content { name } else { nil }
    }

    /// The bytes, read from the file if there is one.
    /// - Throws: what reading the file throws, a missing file included.
    public func data() throws -> Data {
        switch content {
        case .bytes(let bytes): bytes
        case .file(_, let load): try load()
        }
    }

    public static func == (left: LargeValue, right: LargeValue) -> Bool {
        switch (left.content, right.content) {
        case (.bytes(let a), .bytes(let b)): a == b
        case (.file(let a, _), .file(let b, _)): a == b
        default: false
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch content {
        case .bytes(let bytes): hasher.combine(bytes)
        case .file(let name, _): hasher.combine(name)
        }
    }
}
