import Dispatch
import Foundation

/// Where the blocks of a context run, one at a time.
final class ContextQueue: Sendable {
    private enum Kind: Sendable {
        case anywhere, main
        case own(DispatchQueue)
    }

    private let kind: Kind

    init(_ type: NSManagedObjectContextConcurrencyType) {
        kind =
            switch type {
            case .confinementConcurrencyType: .anywhere
            case .mainQueueConcurrencyType: .main
            case .privateQueueConcurrencyType: .own(DispatchQueue(label: "NSManagedObjectContext"))
            }
    }

    /// The queue whose block the thread is inside of; nil outside of blocks of queues of their own.
    static var current: ObjectIdentifier? { held.last }

    /// Whether the caller is inside of a block already.
    var isCurrent: Bool {
        switch kind {
        case .anywhere: true
        case .main: Thread.isMainThread
        case .own: Self.held.contains(ObjectIdentifier(self))
        }
    }

    func run(_ block: @escaping () -> Void) {
        let unchecked = UncheckedTransfer(block)
        switch kind {
        case .anywhere: block()
        case .main: DispatchQueue.main.async { unchecked.value() }
        case .own(let queue): queue.async { [self] in hold { unchecked.value() } }
        }
    }

    func wait<Result>(_ block: () throws -> Result) rethrows -> Result {
        if isCurrent { return try block() }
        switch kind {
        case .anywhere: return try block()
        case .main:
            // The caller waits, so that one of the two threads uses what the block uses.
            return try withoutActuallyEscaping(block) { block in
                let moved = UncheckedTransfer(block)
                return try DispatchQueue.main.sync { UncheckedTransfer(try moved.value()) }.value
            }
        case .own(let queue): return try queue.sync { try hold(block) }
        }
    }

    // MARK: The queues whose blocks the thread is inside of

    private static let key = "NSManagedObjectContext.queues"

    private static var held: [ObjectIdentifier] {
        get { Thread.current.threadDictionary[key] as? [ObjectIdentifier] ?? [] }
        set { Thread.current.threadDictionary[key] = newValue.isEmpty ? nil : newValue }
    }

    private func hold<Result>(_ block: () throws -> Result) rethrows -> Result {
        Self.held.append(ObjectIdentifier(self))
        defer { Self.held.removeLast() }
        return try block()
    }
}
