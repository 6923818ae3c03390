/// Records how to undo changes, in groups, and how to redo them.
///
/// It corresponds to Foundation's `UndoManager`, which Linux does not have. There is no run loop
/// that ends events: with ``groupsByEvent``, a group that was opened automatically is closed by
/// ``endEvent()``, which a context calls whenever it processes changes. A group that the
/// application opens stays open until the application closes it.
///
/// ```swift
/// context.undoManager = UndoManager()
/// book["title"] = "Emma"
/// context.processPendingChanges()
/// context.undoManager?.undo()
/// ```
public final class UndoManager {
    /// An event that observers are notified of.
    public enum Event: Sendable, Hashable {
        /// A group was opened.
        case didOpenGroup
        /// A group was closed.
        case didCloseGroup
        /// A group was undone.
        case didUndo
        /// A group was redone.
        case didRedo
    }

    struct Checkpoint {
        let number: Int
    }

    /// Whether a change outside of a group opens a group, which is closed at the end of the event.
    public var groupsByEvent = true
    /// The maximum number of groups to keep for undo; 0 for no limit.
    public var levelsOfUndo = 0 {
        didSet { trim() }
    }
    /// The approximate maximum size of all groups for undo, in bytes; 0 for no limit. It covers
    /// changes of objects with the values and objects that they retain. The oldest groups are
    /// discarded first. A single group above the limit, such as a large import, is discarded with
    /// all groups before it.
    public var byteLimit = 0 {
        didSet { trim() }
    }
    /// Whether a group is being undone.
    public private(set) var isUndoing = false
    /// Whether a group is being redone.
    public private(set) var isRedoing = false
    /// Whether a group is being undone or redone.
    var isReplaying: Bool { isUndoing || isRedoing }

    private var undoStack = UndoStack()
    private var redoStack = UndoStack()
    private var openGroups: [UndoGroup] = []
    private var isOpenedByEvent = false
    private var disableCount = 0
    private var checkpoints: [(number: Int, hasPending: () -> Bool, run: () -> Void, afterReplay: () -> Void)] = []
    private var lastNumber = 0
    private var observers: [(number: Int, handler: (Event) -> Void)] = []
    /// How often actions were removed without being undone.
    private var removalCount = 0
    /// The edit position after the actions so far. Undo and redo return to the position that a
    /// state had before. Positions are unique across managers.
    package private(set) var position = EditPosition.fresh()

    /// Creates an undo manager without groups.
    public init() {}

    // MARK: Registering

    /// Registers an action in the open group. Traps if no group is open and ``groupsByEvent`` is
    /// false.
    ///
    /// An action that is registered during undo is recorded for redo, and vice versa. The manager
    /// does not retain `target`; call ``removeAllActions(withTarget:)`` before it is released.
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

    /// Whether actions are recorded.
    public var isUndoRegistrationEnabled: Bool { disableCount == 0 }

    /// Stops recording until ``enableUndoRegistration()`` has been called as many times. Pending
    /// changes are processed before, by both methods.
    public func disableUndoRegistration() {
        runCheckpoints()
        endEvent()
        disableCount += 1
    }

    /// Resumes recording after ``disableUndoRegistration()``. Traps without a call of that method.
    public func enableUndoRegistration() {
        precondition(disableCount > 0, "Enable registration as often as it was disabled")
        runCheckpoints()
        disableCount -= 1
    }

    /// Runs `body` without recording what it registers. The group of the event stays open.
    func withoutRegistration<Result>(_ body: () throws -> Result) rethrows -> Result {
        runCheckpoints()
        disableCount += 1
        defer {
            runCheckpoints()
            disableCount -= 1
        }
        return try body()
    }

    // MARK: Groups

    /// The number of open groups that are nested in each other.
    public var groupingLevel: Int { openGroups.count }

    /// Opens a group: actions registered until it is closed are undone together. Pending changes
    /// are part of the group that was open before.
    public func beginUndoGrouping() {
        runCheckpoints()
        endEvent()
        openGroup()
    }

    /// Closes the group that was opened last. Traps if no group is open.
    public func endUndoGrouping() {
        runCheckpoints()
        precondition(
            !openGroups.isEmpty && !(isOpenedByEvent && openGroups.count == 1),
            "No group is open: call beginUndoGrouping() first")
        closeGroup()
    }

    /// Closes the group that was opened last and takes back its changes, as if it had not been
    /// opened. The groups around it stay open. Traps if no group is open.
    package func cancelUndoGrouping() {
        runCheckpoints()
        precondition(!openGroups.isEmpty, "No group is open: call beginUndoGrouping() first")
        let group = openGroups.removeLast(), outer = openGroups
        // What the reversal registers is discarded.
        openGroups = [UndoGroup(target: group.target)]
        isUndoing = true
        group.run()
        for checkpoint in checkpoints { checkpoint.afterReplay() }
        isUndoing = false
        openGroups = outer
        isOpenedByEvent = isOpenedByEvent && !outer.isEmpty
        position = group.target
        notify(.didCloseGroup)
    }

    /// Ends an event: closes the group that was opened automatically.
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

    // MARK: Steps that may fail

    /// The state of undo before a step.
    struct Step {
        fileprivate let redoStack: UndoStack
        fileprivate let removalCount: Int
        fileprivate let disableCount: Int
    }

    /// Opens a group for changes that are all made or all taken back. They are recorded even if
    /// registration is disabled.
    func beginStep() -> Step {
        beginUndoGrouping()
        defer { disableCount = 0 }
        return Step(redoStack: redoStack, removalCount: removalCount, disableCount: disableCount)
    }

    /// Closes the group of a step. If the step failed, its changes are taken back, and what could
    /// be redone before can be redone again.
    /// - Returns: Whether the step made changes that are not recorded, because registration is
    ///   disabled.
    func endStep(_ step: Step, hasFailed: Bool) -> Bool {
        runCheckpoints()
        precondition(!openGroups.isEmpty, "The group of the step was closed within the step")
        defer { disableCount = step.disableCount }
        if !hasFailed, step.disableCount == 0 {
            closeGroup()
            return false
        }
        let isChanged = !hasFailed && !openGroups[openGroups.count - 1].actions.isEmpty
        if hasFailed {
            cancelUndoGrouping()
        } else {
            position = openGroups.removeLast().target
            notify(.didCloseGroup)
        }
        // Groups that were removed meanwhile can't be redone.
        if removalCount == step.removalCount { redoStack = step.redoStack }
        return isChanged
    }

    /// The number of groups that can be undone.
    package var undoCount: Int { undoStack.groups.count }

    private func trim() { undoStack.trim(count: levelsOfUndo, bytes: byteLimit) }

    // MARK: Undo and redo

    /// Whether there is a group or a pending change to undo.
    public var canUndo: Bool { !undoStack.groups.isEmpty || hasOpenChanges }
    /// Whether there are changes in a group that is open, or pending ones.
    package var hasOpenChanges: Bool { openGroups.contains { !$0.actions.isEmpty } || hasPendingChanges }
    /// Whether there is a group to redo.
    public var canRedo: Bool {
        runCheckpoints()
        return !redoStack.groups.isEmpty
    }

    /// Undoes the last group. Does nothing if there is none. Traps while a group that the
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

    /// Redoes the group that was undone last. Does nothing if there is none. Traps while a group
    /// that the application opened is open.
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

    /// Executes a group. The actions registered meanwhile form one group of the other stack, with
    /// the same name.
    private func replay(_ group: UndoGroup) {
        openGroup()
        openGroups[0].name = group.name
        group.run()
        for checkpoint in checkpoints { checkpoint.afterReplay() }
        closeGroup()
        position = group.target
    }

    // MARK: Removal

    /// Discards all actions and closes all groups.
    public func removeAllActions() {
        removalCount += 1
        undoStack = UndoStack()
        redoStack = UndoStack()
        openGroups = []
        isOpenedByEvent = false
        disableCount = 0
    }

    /// Discards all actions of a target.
    public func removeAllActions(withTarget target: some AnyObject) {
        removalCount += 1
        let id = ObjectIdentifier(target)
        for group in openGroups { group.removeCalls { $0.target == id } }
        undoStack.removeCalls { $0.target == id }
        redoStack.removeCalls { $0.target == id }
        // Its name described the removed actions.
        if openGroups.count == 1, openGroups[0].actions.isEmpty { endEvent() }
    }

    /// All groups, including open ones.
    var groups: [UndoGroup] { undoStack.groups + redoStack.groups + openGroups }

    /// Removes all groups whose contents satisfy a condition. Other groups are kept.
    func removeGroups(holding isConcerned: (AnyObject) -> Bool) {
        removalCount += 1
        func isConcernedCall(_ call: UndoGroup.Call) -> Bool { call.content.map(isConcerned) ?? false }
        // The actions of open groups so far can't be undone. The groups stay open for later
        // actions.
        let isOpen = openGroups.contains { $0.contains(isConcernedCall) }
        if isOpen { for group in openGroups { group.removeCalls { _ in true } } }
        undoStack.removeGroups(isConcernedCall, isAboveRemoved: isOpen)
        redoStack.removeGroups(isConcernedCall)
    }

    // MARK: Names

    private var hasPendingChanges: Bool { checkpoints.contains { $0.hasPending() } }

    /// Names the open group, or the group that pending changes will form, or else the group that
    /// was closed last.
    public func setActionName(_ name: String) {
        if openGroups.isEmpty, groupsByEvent, isUndoRegistrationEnabled, hasPendingChanges {
            openGroup()
            isOpenedByEvent = true
        }
        (openGroups.first ?? undoStack.groups.last)?.name = name
    }

    /// The name of the group that would be undone; empty if there is none.
    public var undoActionName: String {
        if let open = openGroups.first { return open.name }
        return hasPendingChanges ? "" : undoStack.groups.last?.name ?? ""
    }
    /// The name of the group that would be redone; empty if there is none.
    public var redoActionName: String { canRedo ? redoStack.groups.last?.name ?? "" : "" }
    /// The title of an undo menu item, such as “Undo Typing”.
    public var undoMenuItemTitle: String { undoActionName.isEmpty ? "Undo" : "Undo \(undoActionName)" }
    /// The title of a redo menu item, such as “Redo Typing”.
    public var redoMenuItemTitle: String { redoActionName.isEmpty ? "Redo" : "Redo \(redoActionName)" }

    // MARK: Notifications

    /// A registered observer, to be passed to ``removeObserver(_:)``.
    public struct Observation: Sendable, Hashable {
        let number: Int
    }

    /// Calls a handler after each event, until ``removeObserver(_:)`` or the release of the
    /// manager.
    @discardableResult
    public func observe(_ handler: @escaping (Event) -> Void) -> Observation {
        lastNumber += 1
        observers.append((lastNumber, handler))
        return Observation(number: lastNumber)
    }

    /// Removes an observer. Does nothing if it was removed already, or belongs to another manager.
    public func removeObserver(_ observation: Observation) {
        observers.removeAll { $0.number == observation.number }
    }

    private func notify(_ event: Event) {
        for observer in observers { observer.handler(event) }
    }

    /// Registers a function to run before groups are opened or closed and before undo, so that
    /// `target` can register pending changes, and one to run after the actions of a group were
    /// undone or redone.
    func addCheckpoint<Target: AnyObject>(
        for target: Target, hasPending: @escaping (Target) -> Bool, _ body: @escaping (Target) -> Void,
        afterReplay: @escaping (Target) -> Void
    ) -> Checkpoint {
        lastNumber += 1
        checkpoints.append(
            (
                lastNumber, { [unowned target] in hasPending(target) }, { [unowned target] in body(target) },
                { [unowned target] in afterReplay(target) }
            ))
        return Checkpoint(number: lastNumber)
    }

    func removeCheckpoint(_ checkpoint: Checkpoint) {
        checkpoints.removeAll { $0.number == checkpoint.number }
    }

    private func runCheckpoints() {
        guard !isReplaying else { return }
        for checkpoint in checkpoints { checkpoint.run() }
    }
}
