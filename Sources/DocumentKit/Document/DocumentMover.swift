internal import DocumentFiles
internal import Foundation
internal import ObjectGraph

/// Moves an open document, and locks or unlocks it against editing.
struct DocumentMover {
    let document: OpenDocument
    let outside: OutsideChanges

    func move(to url: URL) async throws {
        _ = try document.editingState()
        try await outside.check()
        let target = LinkResolution.resolve(url.path)
        guard target != document.state.path else { return }
        try document.performInline { session in try DocumentSession.move(&session, to: target) }
        document.didMove()
    }

    /// The URL of the document with another name. The extension is kept, unless `name` already ends
    /// with it or with one of `extensions`.
    func place(named name: String, extensions: [String]) throws -> URL {
        let state = try document.openedState(), url = URL(fileURLWithPath: state.path)
        guard !name.isEmpty, name != ".", name != "..", !name.contains("/"), !name.utf8.contains(0) else {
            throw DocumentError(.usage, "“\(name)” can't be the name of a document", path: state.path)
        }
        let own = url.pathExtension
        // Only known extensions count, because the text after a dot may be part of the name.
        let known = ["folio", "folioz", own] + extensions
        let hasExtension =
            own.isEmpty
            || known.contains { name.lowercased().hasSuffix(".\($0.lowercased())") && name.count > $0.count + 1 }
        return url.deletingLastPathComponent().appendingPathComponent(hasExtension ? name : "\(name).\(own)")
    }

    func lock() throws {
        let state = try document.editingState()
        guard !document.hasUnsavedChanges else {
            throw DocumentError(.usage, "there is unsaved work: save it before locking the document", path: state.path)
        }
        defer { if document.isOpen { document.showReadState() } }
        try document.performInline { session in try DocumentSession.lockAgainstEditing(&session) }
    }

    func unlock() throws {
        guard document.isOpen, !document.state.isEditing else { return }
        try document.performInline { session in try DocumentSession.unlockForEditing(&session) }
        // Changes that were made while the document was locked could not be saved until now.
        let isEdited = document.context.hasChanges && document.hasUnsavedChanges, earlier = document.edits
        document.showReadState()
        guard isEdited else { return }
        document.edits.didBeginEditing(document.state, with: earlier)
        document.background?.noteChange()
    }
}
