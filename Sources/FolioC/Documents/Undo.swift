package import CFolio
internal import Folio
internal import Foundation
internal import Interchange

private let begin = "folio_document_begin_undo_group()", end = "folio_document_end_undo_group()"

@c @implementation
package func folio_document_undo(_ document: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) {
        try documentContent(document).edit { document in
            try document.context.closedUndoManager(end).undo()
            document.context.processPendingChanges()
        }
    }
}

@c @implementation
package func folio_document_redo(_ document: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) {
        try documentContent(document).edit { document in
            try document.context.closedUndoManager(end).redo()
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
        try documentContent(document).perform { try $0.context.beginUndoGroup(named: name) }
    }
}

@c @implementation
package func folio_document_end_undo_group(_ document: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) {
        try documentContent(document).edit { try $0.context.openUndoManager(begin).endUndoGrouping() }
    }
}

@c @implementation
package func folio_document_cancel_undo_group(_ document: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) {
        try documentContent(document).edit { document in
            _ = try document.context.openUndoManager(begin)
            document.context.edits.cancelUndoGroup()
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
    status(error) { try documentContent(document).edit { try $0.context.closedUndoManager(end).removeAllActions() } }
}

@c @implementation
package func folio_document_set_undo(_ document: OpaquePointer?, _ is_enabled: Bool, _ error: ErrorPlace)
    -> folio_status
{
    status(error) {
        try documentContent(document).perform { document in
            let undoManager = try document.context.closedUndoManager(end)
            guard undoManager.isUndoRegistrationEnabled != is_enabled else { return }
            if is_enabled { undoManager.enableUndoRegistration() } else { undoManager.disableUndoRegistration() }
        }
    }
}
