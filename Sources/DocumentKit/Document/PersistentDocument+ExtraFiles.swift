internal import DocumentFiles
public import Foundation

extension PersistentDocument {
    func capturedParts() throws -> CapturedParts {
        // A preview that can't be made is none.
        let previews = (try? preview()) ?? []
        return try CapturedParts(extra: extraContent(), previews: previews, description: .init(title: title, keywords: keywords))
    }

    /// Reads a file of the application's own as it was last saved; nil where there is none.
    /// - Throws: `DocumentError`.
    public func extraFile(_ path: String) async throws -> Data? { try await opened.performInBackground { try $0.part(path, in: PackageLayout.extra) } }

    /// Reads a preview of the document as it was last saved; nil where there is none.
    /// - Throws: `DocumentError`.
    public func previewFile(_ path: String) async throws -> Data? { try await opened.performInBackground { try $0.part(path, in: PackageLayout.preview) } }
}
