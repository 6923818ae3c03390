import Foundation
public import Schema

extension ManagedObjectModel {
    /// The model that an `.xcdatamodel`'s `contents` describes, as generated code carries it.
    /// - Throws: ``ModelError`` `unreadable` for what is no such text, `invalid` with everything
    ///   that is wrong in it at once.
    public convenience init(xcdatamodelText text: String) throws(ModelError) {
        try self.init(ModelContents.decode(Data(text.utf8)).description)
    }
}
