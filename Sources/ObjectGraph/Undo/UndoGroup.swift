/// The actions that one step of undo or redo executes.
final class UndoGroup {
    struct Call {
        let target: ObjectIdentifier
        /// The changes that the handler reverses, for the target to inspect; nil for an action of
        /// the application.
        let content: AnyObject?
        let handler: () -> Void
        /// The approximate size of the action, in bytes.
        let byteCount: Int
        private static let size = 128

        /// - Parameter contentBytes: The approximate size of the content, in bytes.
        init(target: ObjectIdentifier, content: AnyObject? = nil, contentBytes: Int = 0, handler: @escaping () -> Void)
        {
            (self.target, self.content, self.handler) = (target, content, handler)
            byteCount = Self.size + contentBytes
        }
    }

    enum Action {
        case call(Call)
        case group(UndoGroup)

        var byteCount: Int {
            switch self {
            case .call(let call): call.byteCount
            case .group(let group): group.byteCount
            }
        }
    }

    private(set) var actions: [Action] = []
    /// The approximate size of the actions, in bytes.
    private(set) var byteCount = 0
    var name = ""
    /// The edit position after running the group.
    var target: UInt64

    init(target: UInt64) { self.target = target }

    func append(_ action: Action) {
        actions.append(action)
        byteCount += action.byteCount
    }

    func run() {
        for action in actions.reversed() {
            switch action {
            case .call(let call): call.handler()
            case .group(let inner): inner.run()
            }
        }
    }

    /// The contents of all actions, including those of nested groups.
    var contents: [AnyObject] {
        actions.flatMap { action in
            switch action {
            case .call(let call): call.content.map { [$0] } ?? []
            case .group(let inner): inner.contents
            }
        }
    }

    func contains(_ isMeant: (Call) -> Bool) -> Bool {
        actions.contains { action in
            switch action {
            case .call(let call): isMeant(call)
            case .group(let inner): inner.contains(isMeant)
            }
        }
    }

    func removeCalls(_ isMeant: (Call) -> Bool) {
        actions.removeAll { action in
            switch action {
            case .call(let call): return isMeant(call)
            case .group(let inner):
                inner.removeCalls(isMeant)
                return inner.actions.isEmpty
            }
        }
        byteCount = actions.reduce(0) { $0 + $1.byteCount }
    }
}

/// The groups for undo or redo. The last one is executed next.
struct UndoStack {
    private(set) var groups: [UndoGroup] = []
    private var byteCount = 0

    mutating func push(_ group: UndoGroup) {
        groups.append(group)
        byteCount += group.byteCount
    }

    mutating func pop() -> UndoGroup? {
        guard let group = groups.popLast() else { return nil }
        byteCount -= group.byteCount
        return group
    }

    /// Removes the oldest groups until at most `count` groups with at most `bytes` bytes are left.
    /// 0 means no limit.
    mutating func trim(count: Int, bytes: Int) {
        var surplus = count > 0 ? max(0, groups.count - count) : 0
        for group in groups.prefix(surplus) { byteCount -= group.byteCount }
        while bytes > 0, byteCount > bytes, surplus < groups.count {
            byteCount -= groups[surplus].byteCount
            surplus += 1
        }
        if surplus > 0 { groups.removeFirst(surplus) }
    }

    mutating func removeCalls(_ isMeant: (UndoGroup.Call) -> Bool) {
        for group in groups { group.removeCalls(isMeant) }
        groups.removeAll { $0.actions.isEmpty }
        byteCount = groups.reduce(0) { $0 + $1.byteCount }
    }

    /// Removes whole groups. Earlier groups get new target positions, because the effects of the
    /// removed groups remain.
    /// - Parameter isAboveRemoved: Whether an action after the last group was removed.
    mutating func removeGroups(_ isMeant: (UndoGroup.Call) -> Bool, isAboveRemoved: Bool = false) {
        var isAboveRemoved = isAboveRemoved
        var kept: [UndoGroup] = []
        for group in groups.reversed() {
            if group.contains(isMeant) {
                isAboveRemoved = true
                continue
            }
            if isAboveRemoved { group.target = EditPosition.fresh() }
            kept.append(group)
        }
        groups = kept.reversed()
        byteCount = groups.reduce(0) { $0 + $1.byteCount }
    }
}
