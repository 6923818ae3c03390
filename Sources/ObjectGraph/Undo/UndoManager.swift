/// Remembers how to take changes back, in groups, and how to make them again.
///
/// Foundation's `UndoManager`, which Linux does not have. There is no run loop here that ends
/// events: with `groupsByEvent` a group that opened by itself is closed by ``endEvent()``, which a
/// context calls whenever it processes its changes. A group that the application opens stays open
/// until the application closes it.
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

    /// Whether a change outside any group opens one, which ends with the event.
    public var groupsByEvent = true
    /// How many groups are kept for undo, 0 for all of them.
    public var levelsOfUndo = 0 {
        didSet { trim() }
    }
    /// About how many bytes the groups for undo may take together, 0 for any number: changes of
    /// objects with the values and objects that they hold. The oldest groups are forgotten first;
    /// one that takes more by itself, such as an import of many objects, is forgotten with all
    /// before it.
    public var byteLimit = 0 {
        didSet { trim() }
    }
    public private(set) var isUndoing = false
    public private(set) var isRedoing = false

    private var undoStack = UndoStack()
    private var redoStack = UndoStack()
    private var openGroups: [UndoGroup] = []
    private var isOpenedByEvent = false
    private var disableCount = 0
    private var checkpoints: [(number: Int, hasPending: () -> Bool, run: () -> Void)] = []
    private var lastNumber = 0
    private var observers: [(number: Int, handler: (Event) -> Void)] = []
    /// Names the state that the actions so far have led to: undo and redo come back to the position
    /// that a state had before. Never that of another manager.
    package private(set) var position = EditPosition.fresh()

    public init() {}

    // MARK: Registering

    /// Adds an action to the open group. Traps if no group is open and none opens by itself.
    ///
    /// Called by undo it is kept for redo, and the reverse.
    public func registerUndo<Target: AnyObject>(withTarget target: Target, handler: @escaping (Target) -> Void) {
        register(UndoGroup.Call(target: ObjectIdentifier(target)) { [unowned target] in handler(target) })
    }

    func register(_ call: UndoGroup.Call) {
        guard isUndoRegistrationEnabled else { return }
        if openGroups.isEmpty {
            precondition(
                groupsByEvent, "Open a group with beginUndoGrouping() before registering, or set groupsByEvent")
            openGroup()
            isOpenedByEvent = true
        }
        openGroups[openGroups.count - 1].append(.call(call))
        if !isUndoing && !isRedoing {
            redoStack = UndoStack()
            position = EditPosition.fresh()
        }
    }

    public var isUndoRegistrationEnabled: Bool { disableCount == 0 }

    /// Registers nothing until as many calls of ``enableUndoRegistration()`` have come. Changes
    /// that are pending at either call stay on their side of it.
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

    /// Opens a group; what follows is undone together. Changes that are pending go into the group
    /// that was open before.
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
        openGroups.append(UndoGroup(target: position))
        notify(.didOpenGroup)
    }

    private func closeGroup() {
        let group = openGroups.removeLast()
        if openGroups.isEmpty { isOpenedByEvent = false }
        if !group.actions.isEmpty {
            if let outer = openGroups.last {
                outer.append(.group(group))
                if outer.name.isEmpty { outer.name = group.name }
            } else if isUndoing {
                redoStack.push(group)
            } else {
                undoStack.push(group)
                trim()
            }
        }
        notify(.didCloseGroup)
    }

    /// How many groups can be undone.
    package var undoCount: Int { undoStack.groups.count }

    private func trim() { undoStack.trim(count: levelsOfUndo, bytes: byteLimit) }

    // MARK: Undo and redo

    /// Whether there is something to take back, changes that were not processed yet included.
    public var canUndo: Bool {
        !undoStack.groups.isEmpty || openGroups.contains { !$0.actions.isEmpty } || hasPendingChanges
    }
    public var canRedo: Bool {
        runCheckpoints()
        return !redoStack.groups.isEmpty
    }

    /// Takes back the last group. Does nothing where there is none. Traps while a group that the
    /// application opened is open.
    public func undo() {
        runCheckpoints()
        endEvent()
        precondition(openGroups.isEmpty, "Close the group with endUndoGrouping() before undoing")
        guard let group = undoStack.pop() else { return }
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
        guard let group = redoStack.pop() else { return }
        isRedoing = true
        replay(group)
        isRedoing = false
        notify(.didRedo)
    }

    /// What the replayed actions register becomes one group of the other stack, with the same name.
    private func replay(_ group: UndoGroup) {
        openGroup()
        openGroups[0].name = group.name
        group.run()
        closeGroup()
        position = group.target
    }

    // MARK: Forgetting

    /// Forgets all actions and closes all groups.
    public func removeAllActions() {
        undoStack = UndoStack()
        redoStack = UndoStack()
        openGroups = []
        isOpenedByEvent = false
        disableCount = 0
    }

    /// Forgets all actions of a target.
    public func removeAllActions(withTarget target: some AnyObject) {
        let id = ObjectIdentifier(target)
        for group in openGroups { group.removeCalls { $0.target == id } }
        undoStack.removeCalls { $0.target == id }
        redoStack.removeCalls { $0.target == id }
        // Its name was for what is forgotten.
        if openGroups.count == 1, openGroups[0].actions.isEmpty { endEvent() }
    }

    /// All groups, those that are open included.
    var groups: [UndoGroup] { undoStack.groups + redoStack.groups + openGroups }

    /// Forgets the groups, each as a whole, that take back such a content. The others stay.
    func removeGroups(holding isConcerned: (AnyObject) -> Bool) {
        func isConcernedCall(_ call: UndoGroup.Call) -> Bool { call.content.map(isConcerned) ?? false }
        // What a group that is open has done so far can't be taken back; it stays open for what
        // follows.
        let isOpen = openGroups.contains { $0.contains(isConcernedCall) }
        if isOpen { for group in openGroups { group.removeCalls { _ in true } } }
        undoStack.removeGroups(isConcernedCall, isAboveRemoved: isOpen)
        redoStack.removeGroups(isConcernedCall)
    }

    // MARK: Names

    private var hasPendingChanges: Bool { checkpoints.contains { $0.hasPending() } }

    /// Names the group that is open, or that pending changes are going to be, or else the last one
    /// that was closed.
    public func setActionName(_ name: String) {
        if openGroups.isEmpty, groupsByEvent, isUndoRegistrationEnabled, hasPendingChanges {
            openGroup()
            isOpenedByEvent = true
        }
        (openGroups.first ?? undoStack.groups.last)?.name = name
    }

    /// The name of what undo would take back; empty without one.
    public var undoActionName: String {
        if let open = openGroups.first { return open.name }
        return hasPendingChanges ? "" : undoStack.groups.last?.name ?? ""
    }
    /// The name of what redo would make again; empty without one.
    public var redoActionName: String { canRedo ? redoStack.groups.last?.name ?? "" : "" }
    /// What a menu says, such as “Undo Typing”.
    public var undoMenuItemTitle: String { undoActionName.isEmpty ? "Undo" : "Undo \(undoActionName)" }
    public var redoMenuItemTitle: String { redoActionName.isEmpty ? "Redo" : "Redo \(redoActionName)" }

    // MARK: Being told

    /// Names a handler that is told of events, for taking it back.
    public struct Observation: Sendable, Hashable {
        let number: Int
    }

    /// Calls `handler` after each such event, until ``removeObserver(_:)`` or as long as the
    /// manager lives.
    @discardableResult
    public func observe(_ handler: @escaping (Event) -> Void) -> Observation {
        lastNumber += 1
        observers.append((lastNumber, handler))
        return Observation(number: lastNumber)
    }

    /// Ends what ``observe(_:)`` began. Of another manager's observation, or one that has ended,
    /// nothing is done.
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
        checkpoints.append(
            (lastNumber, { [unowned target] in hasPending(target) }, { [unowned target] in body(target) }))
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
