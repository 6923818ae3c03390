extension ManagedObjectModel.Definition {
    /// - Throws: ``ModelError`` with code `invalid` that lists every inconsistency of the
    ///   definition.
    func validate() throws(ModelError) {
        let faults = ModelValidation.faults(in: self)
        if !faults.isEmpty { throw ModelError(.invalid, "The model makes no sense", faults: faults) }
    }
}
