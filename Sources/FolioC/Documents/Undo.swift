package import CFolio
internal import Folio
internal import FolioCommands
internal import Foundation

/// The undo manager, where the host did not switch it off.
private func undoManager(_ document: PersistentDocument) throws -> UndoManager {
    guard let undoManager = document.context.undoManager else {
        throw CommandError.usage("changes are not recorded for undo")
    }
    return undoManager
}

/// The undo manager outside of groups.
private func closedUndoManager(_ document: PersistentDocument) throws -> UndoManager {
    let undoManager = try undoManager(document)
    document.context.processPendingChanges()
    undoManager.endEvent()
    guard undoManager.groupingLevel == 0 else {
        throw CommandError.usage("a group is open", hint: "close it with folio_document_end_undo_group()")
    }
    return undoManager
}

@c @implementation
package func folio_document_undo(_ document: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) {
        try documentContent(document).edit { document in
            try closedUndoManager(document).undo()
            document.context.processPendingChanges()
        }
    }
}

@c @implementation
package func folio_document_redo(_ document: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) {
        try documentContent(document).edit { document in
            try closedUndoManager(document).redo()
            document.context.processPendingChanges()
        }
    }
}

@c @implementation
package func folio_document_get_undo(
    _ document: OpaquePointer?, _ state: UnsafeMutablePointer<folio_undo_state>?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let state = try place(state, "the state")
        try documentContent(document).perform { document in
            let size = state.pointee.size, undoManager = document.context.undoManager
            try fill(
                state, size: size,
                folio_undo_state(
                    size: size, can_undo: undoManager?.canUndo ?? false, can_redo: undoManager?.canRedo ?? false,
                    open_groups: undoManager?.groupingLevel ?? 0,
                    has_open_changes: undoManager?.hasOpenChanges ?? false))
        }
    }
}

@c @implementation
package func folio_document_undo_name(_ document: OpaquePointer?, _ error: ErrorPlace) -> UnsafeMutablePointer<CChar>? {
    pointer(error) {
        ownedText(try documentContent(document).perform { $0.context.undoManager?.undoActionName ?? "" })
    }
}

@c @implementation
package func folio_document_redo_name(_ document: OpaquePointer?, _ error: ErrorPlace) -> UnsafeMutablePointer<CChar>? {
    pointer(error) {
        ownedText(try documentContent(document).perform { $0.context.undoManager?.redoActionName ?? "" })
    }
}

@c @implementation
package func folio_document_begin_undo_group(
    _ document: OpaquePointer?, _ name: UnsafePointer<CChar>?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let name = try optionalText(name, "the name")
        try documentContent(document).perform { document in
            let undoManager = try undoManager(document)
            document.context.processPendingChanges()
            undoManager.beginUndoGrouping()
            // The group within has no name of its own: the outer one is what is undone.
            if let name, undoManager.groupingLevel == 1 { undoManager.setActionName(name) }
        }
    }
}

@c @implementation
package func folio_document_end_undo_group(_ document: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) {
        try documentContent(document).edit { document in
            let undoManager = try undoManager(document)
            document.context.processPendingChanges()
            guard undoManager.groupingLevel > 0 else {
                throw CommandError.usage("no group is open", hint: "open one with folio_document_begin_undo_group()")
            }
            undoManager.endUndoGrouping()
        }
    }
}

@c @implementation
package func folio_document_end_event(_ document: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) {
        let content = try documentContent(document)
        try content.perform { _ in content.endEvent() }
    }
}

@c @implementation
package func folio_document_clear_undo(_ document: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) { try documentContent(document).edit { try closedUndoManager($0).removeAllActions() } }
}

@c @implementation
package func folio_document_set_undo(_ document: OpaquePointer?, _ is_enabled: Bool, _ error: ErrorPlace)
    -> folio_status
{
    status(error) {
        try documentContent(document).perform { document in
            let undoManager = try closedUndoManager(document)
            guard undoManager.isUndoRegistrationEnabled != is_enabled else { return }
            if is_enabled { undoManager.enableUndoRegistration() } else { undoManager.disableUndoRegistration() }
        }
    }
}
