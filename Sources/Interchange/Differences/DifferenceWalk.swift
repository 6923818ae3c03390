package import DocumentFiles
import Folio

/// The comparison of two documents, difference by difference.
package struct DifferenceWalk {
    private let old: DocumentReader
    private let new: DocumentReader
    private let entity: String?
    private let comparison: DocumentComparison

    /// - Parameter entity: The only entity whose objects are compared, without its sub-entities;
    ///   nil for all.
    /// - Throws: A usage error for an entity that neither model has; errors of damaged stores.
    package init(from old: DocumentReader, to new: DocumentReader, entity: String?) throws {
        if let entity, old.model.entity(named: entity) == nil {
            _ = try EntityLookup.entity(named: entity, in: new.model)
        }
        try old.document.savedStore.checkPages()
        try new.document.savedStore.checkPages()
        (self.old, self.new, self.entity) = (old, new, entity)
        comparison = DocumentComparison(from: old.document, to: new.document)
    }

    /// Calls a function with each difference, by entity and number. Canceling the task ends it.
    /// - Parameter compared: Called before each difference, also of other entities.
    package func forEach(compared: () throws -> Void = {}, _ body: (ObjectDifference) throws -> Void) throws {
        try comparison.forEachDifference(old.store, new.store) { difference in
            try Task.checkCancellation()
            try compared()
            if entity == nil || entity == difference.entity { try body(difference) }
        }
    }

    /// The entities, and the properties as `Entity.property`, that only one of the models has.
    package var modelDifferences: (onlyOld: [String], onlyNew: [String]) {
        func isWanted(_ name: String) -> Bool { entity.map { name == $0 || name.hasPrefix($0 + ".") } ?? true }
        let models = comparison.modelDifferences
        return (models.onlyOld.filter(isWanted), models.onlyNew.filter(isWanted))
    }
}
