import DocumentFiles
import DocumentKit
import Foundation
import ObjectGraph
import Query
import Schema
import TestSupport
import Testing

/// A suite that merges copies of one document.
protocol MergesCopies {}

extension MergesCopies {
    /// A document with an author, two books and a tag, and a copy of it.
    func withCopies(
        _ form: DocumentForm = .package, model: ManagedObjectModel? = nil,
        filledBy fill: (ManagedObjectContext) throws -> Void = Library.fill, _ body: (URL, URL) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            let ours = folder.appendingPathComponent("ours"), theirs = folder.appendingPathComponent("theirs")
            let document = try await PersistentDocument.create(
                at: ours, model: model ?? Library.model(), form: form)
            try fill(document.context)
            try await document.close(.save)
            try FileManager.default.copyItem(at: ours, to: theirs)
            try await body(ours, theirs)
        }
    }

    /// Edits a document that is not open, and saves it.
    func edit(_ url: URL, _ body: (ManagedObjectContext) throws -> Void) async throws {
        try await DocumentOpening.withDocument(at: url, mode: .editing) { document in
            try body(document.context)
            try await document.save()
        }
    }

    func book(_ context: ManagedObjectContext, _ title: String) throws -> ManagedObject {
        try object(context, "Book", "title", title)
    }

    func object(_ context: ManagedObjectContext, _ entity: String, _ key: String, _ value: String) throws
        -> ManagedObject
    {
        var request = FetchRequest<ManagedObject>(entityName: entity)
        request.predicate = try FetchPredicate(format: "\(key) == %@", value)
        return try #require(try context.fetch(request).first)
    }

    func values(_ context: ManagedObjectContext, _ entity: String, _ key: String) throws -> [String] {
        try context.fetch(FetchRequest<ManagedObject>(entityName: entity)).compactMap { $0[key] as? String }.sorted()
    }
}
