package import Folio

/// A model with its name and versions.
package struct LoadedModel {
    package var model: ManagedObjectModel
    package var name: String
    /// The name of the version, if the model has versions.
    package var version: String?
    /// The names of all versions of the model.
    package var versions: [String]

    /// The name that a document has for its model.
    package var nameInDocuments: String { version ?? name }

    package init(model: ManagedObjectModel, name: String, version: String?, versions: [String]) {
        self.model = model
        self.name = name
        self.version = version
        self.versions = versions
    }
}
