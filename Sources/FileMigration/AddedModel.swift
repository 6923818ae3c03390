internal import DocumentFiles

/// The model that a migration adds to a package.
struct AddedModel {
    let name: String
    /// The names of the other models in the document, which the migration removes.
    let others: [String]
    /// The folder that was written; nil if the document had the model.
    let written: ModelFolder?

    /// Removes the folder that was written, after a failure.
    func takeBack() { written?.remove() }
}
