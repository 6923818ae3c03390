package import Foundation
package import Storage

/// What an application wants of a document's store, beyond what the document itself decides.
///
/// It goes along with every piece of work on the document's files as a value of the task: stores
/// are opened in many places, again after reverting, moving and each save of an archive.
package struct StoreConfiguration: Sendable {
    @TaskLocal package static var current: StoreConfiguration?

    private let wanted: PersistentStoreDescription

    /// - Parameter configure: The document's hook. Runs where the document is.
    package init(_ url: URL, _ configure: (inout PersistentStoreDescription) -> Void) {
        var description = PersistentStoreDescription(url: url)
        configure(&description)
        wanted = description
    }

    /// Puts what is the application's to say into the description of a store that is about to be
    /// opened.
    package func apply(to description: inout PersistentStoreDescription) {
        description.timeout = wanted.timeout
        description.waitObserver = wanted.waitObserver
        guard description.type == .sqlite else { return }
        description.cacheKilobytes = wanted.cacheKilobytes
        if !description.isReadOnly { description.tracksHistory = wanted.tracksHistory }
        // How a document's journal is kept is what its saves and versions rest on.
        guard description.journal == .asFound else { return }
        description.synchronous = wanted.synchronous
        description.journalMode = description.isReadOnly ? nil : wanted.journalMode
    }
}
