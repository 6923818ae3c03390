internal import Schema

extension ManagedObjectModel {
    /// Creates the model of a file.
    ///
    /// - Parameters:
    ///   - faults: the reader's, for which the model is refused.
    ///   - warnings: the reader's. Those of the correction follow.
    /// - Throws: `ModelError.invalid` with all faults.
    convenience init(
        _ description: Definition, faults: [ModelError.Fault], warnings: [ModelError.Fault], path: String?
    ) throws(ModelError) {
        var description = description
        let corrections = ModelCorrection.correct(&description)
        let faults = faults + ModelValidation.faults(in: description)
        guard faults.isEmpty else { throw ModelError(.invalid, "The model makes no sense", path: path, faults: faults) }
        try self.init(description, warnings: warnings + corrections)
    }
}
