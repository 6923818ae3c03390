package import ModelFiles
package import Schema

/// Determines the model with which a store is opened. Bare stores may contain no model, and tools
/// may use a different one.
package enum ModelChoice: Sendable {
    /// The model that the store or its document contains.
    case own
    /// This model. The store refuses it if it has another version.
    case model(ManagedObjectModel)
    /// The first of these models with the version hashes of the store, otherwise the store's own
    /// model.
    case fitting([ManagedObjectModel])
    /// The first version in these files with the version hashes of the store, otherwise the store's
    /// own model.
    case versions([ModelFile])
    /// A model given by the user. If it has several versions, the one with the version hashes of
    /// the store is used, otherwise the named or current one, which the store then refuses.
    /// - Parameter mayBeDocument: Whether the path may be that of a document, whose model is used
    ///   then.
    case reference(ModelReference, mayBeDocument: Bool)

    /// This model, or the store's own one for nil.
    package init(_ model: ManagedObjectModel?) { self = model.map { .model($0) } ?? .own }
}
