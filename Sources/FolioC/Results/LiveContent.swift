package import CFolio
internal import Folio
internal import Foundation
internal import Interchange

/// Results that follow the changes of a document.
final class LiveContent: HandleContent, @unchecked Sendable {
    // Sendable by proof: the variables are used inside the document's monitor, but for `handle`,
    // which is set there once, before the host knows it, and read afterwards.
    fileprivate let content: DocumentContent
    fileprivate var controller: FetchedResultsController<ManagedObject>?
    private var observation: FetchedResultsObservation?
    private let handler: folio_live_handler
    private let context: HostContext
    fileprivate var handle: OpaquePointer?

    /// A change, and the results after it.
    struct Change {
        let changes: [folio_change]
        let objects: [ManagedObject]
    }

    /// Called inside the document's monitor.
    init(
        _ request: FetchRequest<ManagedObject>, of document: PersistentDocument, _ content: DocumentContent,
        _ handler: @escaping folio_live_handler, _ context: HostContext
    ) throws {
        let controller = FetchedResultsController(fetchRequest: request, managedObjectContext: document.context)
        self.content = content
        self.controller = controller
        self.handler = handler
        self.context = context
        super.init(.live)
        try controller.performFetch()
        observation = controller.observe { [weak self] changes in self?.note(changes) }
    }

    deinit { content.performAlways { end() } }

    fileprivate func end() {
        observation?.cancel()
        observation = nil
        controller = nil
    }

    /// Ends the observation when the handle was freed. Notices would keep the document alive.
    fileprivate func free() {
        content.performAlways {
            end()
            content.notices.removeAll { notice in
                guard case .live(let live, _) = notice else { return false }
                return live === self
            }
        }
    }

    private func note(_ changes: FetchedResultsChanges) {
        content.add(
            .live(
                self,
                Change(
                    changes: changes.objects.compactMap { folio_change($0) }, objects: controller?.fetchedObjects ?? [])
            ))
    }

    /// Tells the host of a change, outside the monitor.
    func tell(_ change: Change) {
        // What was freed meanwhile tells nothing.
        guard (try? HandleTable.content(of: handle, .live, as: LiveContent.self)) === self else { return }
        var results: OpaquePointer?
        content.performAlways { results = HandleTable.handle(of: ResultsContent(change.objects, of: content)) }
        change.changes.withUnsafeBufferPointer {
            handler(context.pointer, handle, $0.baseAddress, $0.count, results)
        }
        folio_results_free(results)
    }
}

extension folio_change {
    /// Nil for an object that has no identity any more.
    fileprivate init?(_ change: FetchedResultsChanges.ObjectChange) {
        func reference(_ object: ManagedObject) -> folio_reference {
            (try? folio_reference(object)) ?? folio_reference(key: 0, entity: -1)
        }
        switch change {
        case .delete(let object, let place):
            self.init(kind: FOLIO_DELETION, from: place[1], to: 0, reference: reference(object))
        case .insert(let object, let place):
            self.init(kind: FOLIO_INSERTION, from: 0, to: place[1], reference: reference(object))
        case .move(let object, let origin, let place):
            self.init(kind: FOLIO_MOVE, from: origin[1], to: place[1], reference: reference(object))
        case .update(let object, let place):
            self.init(kind: FOLIO_UPDATE, from: place[1], to: 0, reference: reference(object))
        }
    }
}

private func content(_ live: OpaquePointer?) throws -> LiveContent { try HandleTable.content(of: live, .live) }

@c @implementation
package func folio_document_watch(
    _ document: OpaquePointer?, _ query: UnsafePointer<folio_query>?, _ handler: folio_live_handler?,
    _ context: UnsafeMutableRawPointer?, _ error: ErrorPlace
) -> OpaquePointer? {
    pointer(error) {
        let content = try documentContent(document)
        guard let handler else { throw InterchangeError.usage("the handler is NULL") }
        return try content.perform { document in
            let request = try fetchRequest(query, of: document)
            guard !request.sortDescriptors.isEmpty else {
                throw InterchangeError.usage("live results need a sort order")
            }
            document.context.processWithinStep()
            let live = try LiveContent(request, of: document, content, handler, HostContext(context))
            let handle = HandleTable.handle(of: live)
            live.handle = handle
            return handle
        }
    }
}

@c @implementation
package func folio_live_results(_ live: OpaquePointer?, _ error: ErrorPlace) -> OpaquePointer? {
    pointer(error) {
        let live = try content(live)
        return try live.content.perform { _ in
            HandleTable.handle(of: ResultsContent(live.controller?.fetchedObjects ?? [], of: live.content))
        }
    }
}

@c @implementation
package func folio_live_free(_ live: OpaquePointer?) {
    guard let content = HandleTable.release(live, .live, as: LiveContent.self) else { return }
    content.free()
}
