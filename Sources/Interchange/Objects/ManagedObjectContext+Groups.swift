package import Folio

extension ManagedObjectContext {
    /// The undo manager.
    /// - Throws: a usage error if changes are not recorded for undo.
    package var requiredUndoManager: UndoManager {
        get throws {
            guard let undoManager else { throw InterchangeError.usage("changes are not recorded for undo") }
            return undoManager
        }
    }

    /// The undo manager, after the end of an event.
    /// - Parameter ending: What closes a group.
    /// - Throws: a usage error while a group is open.
    package func closedUndoManager(_ ending: String) throws -> UndoManager {
        let undoManager = try requiredUndoManager
        processPendingChanges()
        undoManager.endEvent()
        guard undoManager.groupingLevel == 0 else {
            throw InterchangeError.usage("a group is open", hint: "close it with \(ending)")
        }
        return undoManager
    }

    /// The undo manager, with the changes of the event in the group that was opened last.
    /// - Parameter beginning: What opens a group.
    /// - Throws: a usage error if no group is open.
    package func openUndoManager(_ beginning: String) throws -> UndoManager {
        let undoManager = try requiredUndoManager
        processPendingChanges()
        undoManager.endEvent()
        guard undoManager.groupingLevel > 0 else {
            throw InterchangeError.usage("no group is open", hint: "open one with \(beginning)")
        }
        return undoManager
    }

    /// Opens a group of undo.
    /// - Parameter name: Its name; ignored for a group within another one, which is undone with
    ///   that.
    /// - Throws: a usage error if changes are not recorded for undo.
    package func beginUndoGroup(named name: String?) throws {
        let undoManager = try requiredUndoManager
        processPendingChanges()
        undoManager.beginUndoGrouping()
        if let name, undoManager.groupingLevel == 1 { undoManager.setActionName(name) }
    }
}
