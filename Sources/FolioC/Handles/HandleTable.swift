internal import Foundation
internal import Interchange

/// The handles that the host has.
///
/// Invariants:
/// 1. A handle is the address of a slot. Slots are never given back to the system, so that a handle
///    that was freed can be looked at, and says that it was.
/// 2. A slot has a kind and a content, both or neither.
/// 3. Free slots are used again in the order in which they were freed, and not before there are
///    `quarantine` of them.
enum HandleTable {
    /// What a handle stands for.
    enum Kind: UInt32, Sendable {
        case document = 0x464F_4C01
        case object, results, stream, live, versions, error, progress

        var name: String {
            switch self {
            case .document: "document"
            case .object: "object"
            case .results: "results"
            case .stream: "stream"
            case .live: "live results"
            case .versions: "versions"
            case .error: "error"
            case .progress: "progress"
            }
        }
    }

    struct Slot {
        /// 0 for a slot that is free.
        var kind: UInt32
        var content: Unmanaged<HandleContent>?
        var next: UnsafeMutablePointer<Slot>?
    }

    private static let chunkSize = 1024
    private static let quarantine = 1024

    // Guarded by `lock`.
    nonisolated(unsafe) private static var firstFree: UnsafeMutablePointer<Slot>?
    nonisolated(unsafe) private static var lastFree: UnsafeMutablePointer<Slot>?
    nonisolated(unsafe) private static var freeCount = 0
    nonisolated(unsafe) private static var usedCount = 0
    static let lock = NSLock()

    /// How many handles were not freed.
    static var count: Int { lock.withLock { usedCount } }

    /// Makes a handle that retains its content.
    static func handle(of content: HandleContent) -> OpaquePointer {
        ForkGeneration.observe()
        lock.lock()
        defer { lock.unlock() }
        if freeCount <= quarantine { addChunk() }
        guard let slot = firstFree else { preconditionFailure("A chunk of slots was added") }
        firstFree = slot.pointee.next
        if firstFree == nil { lastFree = nil }
        freeCount -= 1
        usedCount += 1
        slot.pointee = Slot(kind: content.kind.rawValue, content: .passRetained(content), next: nil)
        return OpaquePointer(slot)
    }

    private static func addChunk() {
        let chunk = UnsafeMutablePointer<Slot>.allocate(capacity: chunkSize)
        chunk.initialize(repeating: Slot(kind: 0, content: nil, next: nil), count: chunkSize)
        for index in 0..<chunkSize { addFree(chunk + index) }
    }

    private static func addFree(_ slot: UnsafeMutablePointer<Slot>) {
        slot.pointee.next = nil
        if let lastFree { lastFree.pointee.next = slot } else { firstFree = slot }
        lastFree = slot
        freeCount += 1
    }

    /// The content of a handle.
    /// - Throws: a usage error for NULL, a handle that was freed, and one of another kind.
    @inline(__always)
    static func content<Content: HandleContent>(
        of handle: OpaquePointer?, _ kind: Kind, as type: Content.Type = Content.self
    ) throws -> Content {
        guard let handle else { throw InterchangeError.usage("the \(kind.name) is NULL") }
        let slot = UnsafeMutablePointer<Slot>(handle)
        guard slot.pointee.kind == kind.rawValue, let content = slot.pointee.content else {
            throw InterchangeError.usage("the handle is of no \(kind.name): it was freed, or is of another kind")
        }
        let known = content._withUnsafeGuaranteedRef { $0 }
        guard known.isOfThisProcess else {
            throw InterchangeError.usage(
                "the \(kind.name) belongs to the process that this one was forked from",
                hint: "start a new program for it, as posix_spawn() does")
        }
        return unsafeDowncast(known, to: type)
    }

    /// Frees a handle; nil for NULL, for what is no handle of the kind, and for one of the process
    /// that this one was forked from, whose content is left alone.
    static func release<Content: HandleContent>(
        _ handle: OpaquePointer?, _ kind: Kind, as type: Content.Type = Content.self
    ) -> Content? {
        guard let handle else { return nil }
        let slot = UnsafeMutablePointer<Slot>(handle)
        lock.lock()
        defer { lock.unlock() }
        guard slot.pointee.kind == kind.rawValue, let content = slot.pointee.content else { return nil }
        slot.pointee = Slot(kind: 0, content: nil, next: nil)
        usedCount -= 1
        addFree(slot)
        guard content._withUnsafeGuaranteedRef({ $0.isOfThisProcess }) else { return nil }
        return unsafeDowncast(content.takeRetainedValue(), to: type)
    }
}

/// What a handle stands for.
class HandleContent {
    let kind: HandleTable.Kind
    private let generation = ForkGeneration.current

    init(_ kind: HandleTable.Kind) { self.kind = kind }

    /// Whether it was made since the process was forked.
    @inline(__always)
    final var isOfThisProcess: Bool { generation == ForkGeneration.current }
}
