package import DocumentFiles
package import Foundation
package import Schema

extension PersistentDocument {
    /// The model that a document carries, in one of its states; nothing is written anywhere near it.
    /// - Throws: `DocumentError`, with code `modelMismatch` where it carries none.
    package static func model(of url: URL, state: DocumentState = .newest) throws -> ManagedObjectModel {
        let session = try DocumentSession.read(url.path, state) { _ in nil }
        defer { try? session.close() }
        return session.model
    }
}
