import Foundation
public import Schema

extension ManagedObjectModel {
    /// Creates a model from the content of the `contents` file of an `.xcdatamodel`. Generated code
    /// uses it.
    ///
    /// What Xcode compiles with a warning is read: see ``warnings``.
    ///
    /// - Throws: ``ModelError`` with code `unreadable` if the text is not a model, `invalid` with
    ///   all errors if the model is not valid.
    public convenience init(xcdatamodelText text: String) throws(ModelError) {
        let model = try ModelContents.decode(Data(text.utf8))
        try self.init(model.definition, warnings: model.warnings)
    }
}
