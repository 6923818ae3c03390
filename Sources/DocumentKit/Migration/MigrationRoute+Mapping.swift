public import Migration

extension PersistentDocument.MigrationRoute {
    /// The first of the ``mappings``; nil to infer all steps.
    public var mapping: MappingModel? {
        get { mappings.first }
        set { mappings = newValue.map { [$0] } ?? [] }
    }
}
