package import Merging
package import DocumentFiles
package import Foundation

extension DocumentMerge {
    /// Merges a document into an open one, as ``PersistentDocument/merge(_:base:deciding:)``
    /// documents.
    /// - Parameter model: The model of the other document and of the base.
    package static func merge(
        _ url: URL, into document: PersistentDocument, base: Base, deciding decisions: Decisions,
        fitting model: ModelChoice
    ) async throws -> Report {
        let opened = document.opened, saver = document.operations.saver
        return try await opened.exclusively {
            try await DocumentMerger(document: opened, saver: saver, decisions: decisions).merge(
                url, base: base, model: model)
        }
    }
}
