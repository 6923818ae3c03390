internal import FileSystem
internal import Foundation
internal import Storage

/// Tells whether a document could be opened for editing, so that a dry run refuses what the run
/// would refuse. Nothing is written, and no lock is taken.
package enum EditingCheck {
    /// - Parameter recovery: How autosaved work of a former editor would be treated.
    /// - Throws: The `DocumentError` that opening the document for editing would throw: `notFound`,
    ///   `permission`, `locked` or `recoverable`. Other errors, such as those of a damaged
    ///   document, are left to reading it.
    package static func check(
        _ path: String, recovery: DocumentRecovery = .refuse, fitting model: ModelChoice = .own
    ) throws {
        let path = LinkResolution.resolve(path)
        guard try Disk.exists(path) else { return }
        try refuseLocked(path)
        try DocumentLock.check(path)
        guard let document = try? DetectedDocument(path) else { return }
        let store = DetectedDocument.storePath(document.kind, path)
        if document.kind != .archive, try Disk.exists(store), !Disk.isWritable(store) {
            throw DocumentError(.permission, "The store can't be written to", path: store, stage: .opening)
        }
        guard recovery == .refuse,
            let info = try? DocumentInfo(
                of: URL(fileURLWithPath: path), countsObjects: false, fitting: model),
            info.hasUnsavedChanges
        else { return }
        throw DocumentError(
            .recoverable, "an editor that is gone left work that was never saved", path: path, stage: .opening,
            hint: "recover it first: keep or discard it")
    }

    /// - Throws: `DocumentError` with code `permission` if the document is locked against editing.
    package static func refuseLocked(_ path: String) throws {
        let path = LinkResolution.resolve(path)
        guard DocumentPermissions.isLocked(path) else { return }
        throw DocumentError(
            .permission, "the document is locked against editing", path: path, stage: .opening,
            hint: "unlock it, or open it for reading")
    }
}
