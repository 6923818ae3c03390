/// Remembers how to take changes back, in groups, and how to make them again.
///
/// Foundation's `UndoManager`, which Linux does not have. There is no run loop here that ends events: with `groupsByEvent` a group that opened by itself is closed by
/// ``endEvent()``, which a context calls whenever it processes its changes. A group that the application opens stays open until the application closes it.
///
/// ```swift
/// context.undoManager = UndoManager()
/// book["title"] = "Emma"
/// context.processPendingChanges()
/// context.undoManager?.undo()
/// ```
public final class UndoManager {
    /// What changed, for observers.
    public enum Event: Sendable, Hashable {
        case didOpenGroup, didCloseGroup, didUndo, didRedo
    }

    struct Checkpoint {
        let number: Int
    }

    private final class Group {
        var actions: [Action] = []
        var name = ""
        /// The position that running it leads to.
        let target: UInt64

        init(target: UInt64) { self.target = target }
    }

    private enum Action {
        case call(target: ObjectIdentifier, () -> Void)
        case group(Group)
    }

    /// Whether a change outside any group opens one, which ends with the event.
    public var groupsByEvent = true
    /// How many groups are kept for undo, 0 for all of them.
    public var levelsOfUndo = 0 {
        didSet { trim() }
    }
    public private(set) var isUndoing = false
    public private(set) var isRedoing = false

    private var undoStack: [Group] = []
    private var redoStack: [Group] = []
    private var openGroups: [Group] = []
    private var isOpenedByEvent = false
    private var disableCount = 0
    private var checkpoints: [(number: Int, hasPending: () -> Bool, run: () -> Void)] = []
    private var lastNumber = 0
    private var observers: [(number: Int, handler: (Event) -> Void)] = []
    /// Names the state that the actions so far have led to: undo and redo come back to the position that a state had before. Never that of another manager.
    package private(set) var position = EditPosition.fresh()

    public init() {}

    // MARK: Registering

    /// Adds an action to the open group. Traps if no group is open and none opens by itself.
    ///
    /// Called by undo it is kept for redo, and the reverse.
    public func registerUndo<Target: AnyObject>(withTarget target: Target, handler: @escaping (Target) -> Void) {
        guard isUndoRegistrationEnabled else { return }
        if openGroups.isEmpty {
            precondition(groupsByEvent, "Open a group with beginUndoGrouping() before registering, or set groupsByEvent")
            openGroup()
            isOpenedByEvent = true
        }
        openGroups[openGroups.count - 1].actions.append(.call(target: ObjectIdentifier(target), { [unowned target] in handler(target) }))
        if !isUndoing && !isRedoing {
            redoStack = []
            position = EditPosition.fresh()
        }
    }

    public var isUndoRegistrationEnabled: Bool { disableCount == 0 }

    /// Registers nothing until as many calls of ``enableUndoRegistration()`` have come. Changes that are pending at either call stay on their side of it.
    public func disableUndoRegistration() {
        runCheckpoints()
        disableCount += 1
    }

    public func enableUndoRegistration() {
        precondition(disableCount > 0, "Enable registration as often as it was disabled")
        runCheckpoints()
        disableCount -= 1
    }

    // MARK: Groups

    /// How many groups are open within each other.
    public var groupingLevel: Int { openGroups.count }

    /// Opens a group; what follows is undone together. Changes that are pending go into the group that was open before.
    public func beginUndoGrouping() {
        runCheckpoints()
        endEvent()
        openGroup()
    }

    /// Closes the group that was opened last. Traps if none is open.
    public func endUndoGrouping() {
        runCheckpoints()
        precondition(!openGroups.isEmpty, "No group is open: call beginUndoGrouping() first")
        closeGroup()
    }

    /// Ends an event: closes the group that opened by itself.
    public func endEvent() {
        guard isOpenedByEvent, openGroups.count == 1 else { return }
        closeGroup()
    }

    private func openGroup() {
        openGroups.append(Group(target: position))
        notify(.didOpenGroup)
    }

    private func closeGroup() {
        let group = openGroups.removeLast()
        if openGroups.isEmpty { isOpenedByEvent = false }
        if !group.actions.isEmpty {
            if let outer = openGroups.last {
                outer.actions.append(.group(group))
                if outer.name.isEmpty { outer.name = group.name }
            } else if isUndoing {
                redoStack.append(group)
            } else {
                undoStack.append(group)
                trim()
            }
        }
        notify(.didCloseGroup)
    }

    /// How many groups can be undone.
    package var undoCount: Int { undoStack.count }

    private func trim() {
        if levelsOfUndo > 0, undoStack.count > levelsOfUndo { undoStack.removeFirst(undoStack.count - levelsOfUndo) }
    }

    // MARK: Undo and redo

    /// Whether there is something to take back, changes that were not processed yet included.
    public var canUndo: Bool {
        !undoStack.isEmpty || openGroups.contains { !$0.actions.isEmpty } || hasPendingChanges
    }
    public var canRedo: Bool {
        runCheckpoints()
        return !redoStack.isEmpty
    }

    /// Takes back the last group. Does nothing where there is none. Traps while a group that the application opened is open.
    public func undo() {
        runCheckpoints()
        endEvent()
        precondition(openGroups.isEmpty, "Close the group with endUndoGrouping() before undoing")
        guard let group = undoStack.popLast() else { return }
        isUndoing = true
        replay(group)
        isUndoing = false
        notify(.didUndo)
    }

    /// Makes the last group that was undone again. Does nothing where there is none.
    public func redo() {
        runCheckpoints()
        endEvent()
        precondition(openGroups.isEmpty, "Close the group with endUndoGrouping() before redoing")
        guard let group = redoStack.popLast() else { return }
        isRedoing = true
        replay(group)
        isRedoing = false
        notify(.didRedo)
    }

    /// What the replayed actions register becomes one group of the other stack, with the same name.
    private func replay(_ group: Group) {
        openGroup()
        openGroups[0].name = group.name
        run(group)
        closeGroup()
        position = group.target
    }

    private func run(_ group: Group) {
        for action in group.actions.reversed() {
            switch action {
            case .call(_, let handler): handler()
            case .group(let inner): run(inner)
            }
        }
    }

    // MARK: Forgetting

    /// Forgets all actions and closes all groups.
    public func removeAllActions() {
        undoStack = []
        redoStack = []
        openGroups = []
        isOpenedByEvent = false
        disableCount = 0
    }

    /// Forgets all actions of a target.
    public func removeAllActions(withTarget target: some AnyObject) {
        let id = ObjectIdentifier(target)
        for group in openGroups { Self.prune(group, id) }
        for group in undoStack + redoStack { Self.prune(group, id) }
        undoStack.removeAll { $0.actions.isEmpty }
        redoStack.removeAll { $0.actions.isEmpty }
        // Its name was for what is forgotten.
        if openGroups.count == 1, openGroups[0].actions.isEmpty { endEvent() }
    }

    private static func prune(_ group: Group, _ id: ObjectIdentifier) {
        group.actions.removeAll { action in
            switch action {
            case .call(let target, _): return target == id
            case .group(let inner):
                prune(inner, id)
                return inner.actions.isEmpty
            }
        }
    }

    // MARK: Names

    private var hasPendingChanges: Bool { checkpoints.contains { $0.hasPending() } }

    /// Names the group that is open, or that pending changes are going to be, or else the last one that was closed.
    public func setActionName(_ name: String) {
        if openGroups.isEmpty, groupsByEvent, isUndoRegistrationEnabled, hasPendingChanges {
            openGroup()
            isOpenedByEvent = true
        }
        (openGroups.first ?? undoStack.last)?.name = name
    }

    /// The name of what undo would take back; empty without one.
    public var undoActionName: String {
        if let open = openGroups.first { return open.name }
        return hasPendingChanges ? "" : undoStack.last?.name ?? ""
    }
    /// The name of what redo would make again; empty without one.
    public var redoActionName: String { canRedo ? redoStack.last?.name ?? "" : "" }
    /// What a menu says, such as “Undo Typing”.
    public var undoMenuItemTitle: String { undoActionName.isEmpty ? "Undo" : "Undo \(undoActionName)" }
    public var redoMenuItemTitle: String { redoActionName.isEmpty ? "Redo" : "Redo \(redoActionName)" }

    // MARK: Being told

    /// Names a handler that is told of events, for taking it back.
    public struct Observation: Sendable, Hashable {
        let number: Int
    }

    /// Calls `handler` after each such event, until ``removeObserver(_:)`` or as long as the manager lives.
    @discardableResult
    public func observe(_ handler: @escaping (Event) -> Void) -> Observation {
        lastNumber += 1
        observers.append((lastNumber, handler))
        return Observation(number: lastNumber)
    }

    /// Ends what ``observe(_:)`` began. Of another manager's observation, or one that has ended, nothing is done.
    public func removeObserver(_ observation: Observation) {
        observers.removeAll { $0.number == observation.number }
    }

    private func notify(_ event: Event) {
        for observer in observers { observer.handler(event) }
    }

    /// `body` runs before groups begin and end and before undo: time to register what is pending.
    func addCheckpoint<Target: AnyObject>(
        for target: Target, hasPending: @escaping (Target) -> Bool, _ body: @escaping (Target) -> Void
    ) -> Checkpoint {
        lastNumber += 1
        checkpoints.append((lastNumber, { [unowned target] in hasPending(target) }, { [unowned target] in body(target) }))
        return Checkpoint(number: lastNumber)
    }

    func removeCheckpoint(_ checkpoint: Checkpoint) {
        checkpoints.removeAll { $0.number == checkpoint.number }
    }

    private func runCheckpoints() {
        guard !isUndoing && !isRedoing else { return }
        for checkpoint in checkpoints { checkpoint.run() }
    }
}
