import Query
import Schema

extension NSFetchIndexDescription {
    /// - Throws: `QueryError` for a predicate of a closure, which no store can run.
    func compiled() throws -> FetchIndexDescription {
        FetchIndexDescription(
            name, elements: elements.map(\.compiled),
            partialIndexPredicate: try partialIndexPredicate?.fetchPredicate().predicateFormat)
    }

    /// An index of another entity with properties of the same names.
    func duplicate(for entity: NSEntityDescription) -> NSFetchIndexDescription {
        let properties = entity.propertiesByName
        let copy = NSFetchIndexDescription(
            name: name,
            elements: elements.map { element in
                NSFetchIndexElementDescription(
                    element.compiled,
                    element.property.flatMap { $0 is NSExpressionDescription ? $0 : properties[$0.name] })
            })
        copy.partialIndexPredicate = partialIndexPredicate
        copy.entity = entity
        return copy
    }
}

extension NSFetchIndexElementDescription {
    /// What Folio's model gets.
    var compiled: FetchIndexDescription.Element {
        let kind: FetchIndexDescription.Kind = collationType == .rTree ? .rTree : .binary
        if let expression = (property as? NSExpressionDescription)?.expression {
            return .init(
                propertyName: nil, expression: expression.query.expressionFormat, kind: kind, isAscending: isAscending)
        }
        return .init(propertyName: propertyName, kind: kind, isAscending: isAscending)
    }
}
