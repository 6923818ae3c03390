package import CFolio
internal import Folio
internal import Foundation
internal import Interchange

@c @implementation
package func folio_document_set_handler(
    _ document: OpaquePointer?, _ handler: folio_handler?, _ context: UnsafeMutableRawPointer?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let content = try documentContent(document)
        try content.perform { document in
            content.handler = handler.map { ($0, HostContext(context)) }
            content.shownState = ShownState(document)
        }
    }
}

@c @implementation
package func folio_document_set_dispatcher(
    _ document: OpaquePointer?, _ dispatcher: folio_dispatcher?, _ context: UnsafeMutableRawPointer?,
    _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let content = try documentContent(document), context = HostContext(context)
        try content.perform { _ in
            content.dispatchingThread = dispatcher == nil ? nil : pthread_self()
            if let dispatcher {
                content.monitor.setNotify { dispatcher(context.pointer) }
            } else {
                content.monitor.setNotify(nil)
            }
        }
    }
}

@c @implementation
package func folio_document_dispatch(_ document: OpaquePointer?, _ error: ErrorPlace) -> folio_status {
    status(error) { try documentContent(document).dispatch() }
}

extension DocumentContent {
    /// Ends an event, and tells the host what there is to tell, outside the monitor.
    fileprivate func dispatch() throws {
        try monitor.enter()
        do {
            try beginDispatching()
        } catch {
            monitor.leave()
            throw error
        }
        endEvent()
        noteState()
        let notices = self.notices
        self.notices = []
        // The host is told here, and needs no call of its dispatcher for it.
        monitor.forgetNotice()
        let handle = self.handle
        monitor.leave()
        for notice in notices {
            // Freed by a handler: nobody is told any more.
            guard (try? HandleTable.content(of: handle, .document, as: DocumentContent.self)) === self else { break }
            // A handler may have set another one.
            var handler: (call: folio_handler, context: HostContext)?
            performAlways { handler = self.handler }
            tell(notice, handler, handle)
        }
        performAlways { isDispatching = false }
    }

    private func beginDispatching() throws {
        if let dispatchingThread, dispatchingThread != pthread_self() {
            throw InterchangeError.usage(
                "this is not the dispatching thread of the document",
                hint: "call folio_document_dispatch() on the thread that has called folio_document_set_dispatcher()")
        }
        guard !isDispatching else { throw InterchangeError.usage("the document is being dispatched already") }
        isDispatching = true
    }

    private func tell(
        _ notice: Notice, _ handler: (call: folio_handler, context: HostContext)?, _ handle: OpaquePointer?
    ) {
        switch notice {
        case .event(let event, let failure):
            guard let handler else { return }
            withError(failure) { handler.call(handler.context.pointer, handle, event, $0) }
        case .completion(let completion, let context, let failure):
            withError(failure) { completion(context.pointer, $0) }
        case .live(let live, let change): live.tell(change)
        }
    }

    private func withError(_ error: (any Error)?, _ body: (OpaquePointer?) -> Void) {
        let handle = error.map { HandleTable.handle(of: ErrorContent($0)) }
        body(handle)
        folio_error_free(handle)
    }
}
