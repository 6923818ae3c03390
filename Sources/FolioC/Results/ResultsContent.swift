package import CFolio
internal import Folio
internal import Foundation
internal import Interchange

/// A list of objects that the host has.
final class ResultsContent: HandleContent {
    let content: DocumentContent
    /// Used inside the document's monitor.
    fileprivate var objects: [ManagedObject]
    fileprivate let buffer = ValueBuffer()

    /// Called inside the document's monitor.
    init(_ objects: [ManagedObject], of content: DocumentContent) {
        self.objects = objects
        self.content = content
        super.init(.results)
    }

    deinit { content.performAlways(reading: true) { objects = [] } }

    /// Runs work on the objects on the calling thread.
    fileprivate func perform<Result>(_ body: ([ManagedObject]) throws -> Result) throws -> Result {
        try content.perform(reading: true) { _ in try body(objects) }
    }

    /// - Throws: a usage error where there are not so many objects.
    fileprivate func range(_ first: Int, _ count: Int) throws -> Range<Int> {
        guard first >= 0, count >= 0, first <= objects.count, count <= objects.count - first else {
            throw InterchangeError.usage("there are \(objects.count) objects, not \(count) from \(first) on")
        }
        return first..<(first + count)
    }
}

private func content(_ results: OpaquePointer?) throws -> ResultsContent {
    try HandleTable.content(of: results, .results)
}

@c @implementation
package func folio_results_count(_ results: OpaquePointer?) -> Int {
    guard let content = try? content(results) else { return 0 }
    return (try? content.perform { $0.count }) ?? 0
}

@c @implementation
package func folio_results_object(_ results: OpaquePointer?, _ index: Int, _ error: ErrorPlace) -> OpaquePointer? {
    pointer(error) {
        let content = try content(results)
        return try content.perform { objects in
            guard objects.indices.contains(index) else { throw InterchangeError.usage("there is no index \(index)") }
            return HandleTable.handle(of: ObjectContent(objects[index], of: content.content))
        }
    }
}

@c @implementation
package func folio_results_references(
    _ results: OpaquePointer?, _ first: Int, _ count: Int, _ references: UnsafeMutablePointer<folio_reference>?,
    _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let content = try content(results)
        try content.perform { objects in
            let range = try content.range(first, count)
            guard !range.isEmpty else { return }
            let references = try place(references, "the place of the references")
            for index in range {
                references[index - first] = try folio_reference(objects[index])
            }
        }
    }
}

@c @implementation
package func folio_results_read(
    _ results: OpaquePointer?, _ first: Int, _ count: Int, _ keys: UnsafePointer<UnsafePointer<CChar>?>?,
    _ key_count: Int, _ values: UnsafeMutablePointer<folio_value>?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let content = try content(results)
        try content.perform { objects in
            let range = try content.range(first, count)
            var reader = try ValueReader(keys, key_count, of: content.content)
            guard !range.isEmpty, key_count > 0 else { return }
            let values = try place(values, "the place of the values")
            content.buffer.reset()
            // A key that no object's entity has is a mistake.
            if let entity = PropertyAccess(objects[first]).entity { try reader.check(content.content.root(of: entity)) }
            for index in range {
                try reader.read(objects[index], to: values + (index - first) * key_count, content.buffer)
            }
        }
    }
}

@c @implementation
package func folio_results_free(_ results: OpaquePointer?) {
    _ = HandleTable.release(results, .results, as: ResultsContent.self)
}

extension DocumentContent {
    /// The entity at the root of an entity's hierarchy.
    fileprivate func root(of entity: EntityDescription) -> EntityDescription {
        var entity = entity
        while let superentity = entity.superentity { entity = superentity }
        return entity
    }
}

// MARK: Fetching

@c @implementation
package func folio_document_fetch(_ document: OpaquePointer?, _ query: UnsafePointer<folio_query>?, _ error: ErrorPlace)
    -> OpaquePointer?
{
    pointer(error) {
        let content = try documentContent(document)
        return try content.perform { document in
            let request = try fetchRequest(query, of: document)
            return HandleTable.handle(of: ResultsContent(try document.context.fetch(request), of: content))
        }
    }
}

@c @implementation
package func folio_document_count(
    _ document: OpaquePointer?, _ query: UnsafePointer<folio_query>?, _ count: UnsafeMutablePointer<Int>?,
    _ error: ErrorPlace
) -> folio_status {
    status(error) {
        let count = try place(count, "the place of the count")
        count.pointee = try documentContent(document).perform { document in
            try document.context.count(for: fetchRequest(query, of: document))
        }
    }
}

@c @implementation
package func folio_document_check_predicate(
    _ document: OpaquePointer?, _ entity: UnsafePointer<CChar>?, _ predicate: UnsafePointer<CChar>?,
    _ offset: UnsafeMutablePointer<Int>?, _ error: ErrorPlace
) -> folio_status {
    status(error) {
        offset?.pointee = -1
        let name = try text(entity, "the entity"), text = try text(predicate, "the predicate")
        try documentContent(document).perform { document in
            guard let entity = document.model.entity(named: name) else {
                throw GraphError.unknownEntity(name, in: document.model)
            }
            do {
                _ = try FetchPredicate(format: text).validated(
                    against: entity, in: document.model, store: document.store.identity)
            } catch let error as QueryError {
                if let position = error.offset { offset?.pointee = position }
                throw error
            }
        }
    }
}

/// The request that a query of the host's stands for.
func fetchRequest(_ pointer: UnsafePointer<folio_query>?, of document: PersistentDocument) throws
    -> FetchRequest<ManagedObject>
{
    guard let pointer else { throw InterchangeError.usage("the query is NULL") }
    let query = try structure(pointer, size: pointer.pointee.size, folio_query())
    var request = FetchRequest<ManagedObject>(entityName: try text(query.entity, "the entity"))
    if let format = try optionalText(query.predicate, "the predicate") {
        guard query.argument_count >= 0, query.arguments != nil || query.argument_count == 0 else {
            throw InterchangeError.usage("the arguments are NULL")
        }
        let context = document.context
        let arguments = try UnsafeBufferPointer(start: query.arguments, count: query.argument_count).map {
            try HostValue(value: $0, context: context).propertyValue(for: nil)
        }
        request.predicate = try FetchPredicate(format: format, arguments: arguments)
    } else if query.argument_count != 0 {
        throw InterchangeError.usage("there are arguments and no predicate")
    }
    if let sort = try optionalText(query.sort, "the sort order") { request.sortDescriptors = try SortKey.list(sort) }
    guard query.limit >= 0, query.offset >= 0 else { throw InterchangeError.usage("a limit or offset is too large") }
    request.fetchLimit = query.limit
    request.fetchOffset = query.offset
    request.includesSubentities = !query.excludes_subentities
    return request
}
