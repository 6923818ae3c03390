package import Foundation
package import Storage

/// The application's settings for a document's store, which extend those of the document.
///
/// They are a task-local value during all work on the document's files, because stores are opened
/// in many places, for example after reverting, moving, and each save of an archive.
package struct StoreConfiguration: Sendable {
    @TaskLocal package static var current: StoreConfiguration?

    private let wanted: PersistentStoreDescription

    /// - Parameter configure: The document's hook. Called immediately, in the isolation domain of
    ///   the document.
    package init(_ url: URL, _ configure: (inout PersistentStoreDescription) -> Void) {
        var description = PersistentStoreDescription(url: url)
        configure(&description)
        wanted = description
    }

    /// Applies the application's settings to the description of a store that is about to be opened.
    package func apply(to description: inout PersistentStoreDescription) {
        description.timeout = wanted.timeout
        description.waitObserver = wanted.waitObserver
        guard description.type == .sqlite else { return }
        description.cacheKilobytes = wanted.cacheKilobytes
        if !description.isReadOnly { description.tracksHistory = wanted.tracksHistory }
        // Saves and versions depend on a document's journal settings, so they can't be changed.
        guard description.journal == .asFound else { return }
        description.synchronous = wanted.synchronous
        description.journalMode = description.isReadOnly ? nil : wanted.journalMode
    }
}
