internal import Coding
internal import Schema

extension CompiledModelReader {
    func relationship(_ object: ArchivedObject) throws -> RelationshipDescription {
        let name = try object.string("NSPropertyName") ?? ""
        let destination =
            try object.string("_NSDestinationEntityName")
            ?? object.object("NSDestinationEntity")?.string("NSEntityName")
        var relationship = RelationshipDescription(name, to: destination ?? "")
        relationship.inverseName =
            try object.string("_NSInverseRelationshipName")
            ?? object.object("NSInverseRelationship")?.string("NSPropertyName")
        relationship.minCount = Int(try object.integer("NSMinCount") ?? 0)
        relationship.maxCount = Int(try object.integer("NSMaxCount") ?? 0)
        relationship.isOptional = try object.boolean("NSIsOptional")
        relationship.isTransient = try object.boolean("NSIsTransient")
        relationship.isOrdered = try object.boolean("NSIsOrdered")
        relationship.isIndexed = try object.boolean("NSIsIndexed")
        relationship.deleteRule = DeleteRule(rawValue: Int(try object.integer("NSDeleteRule") ?? 1)) ?? .nullify
        let identifier = try object.string("NSRenamingIdentifier")
        relationship.renamingIdentifier = identifier == name || identifier == "" ? nil : identifier
        relationship.versionHashModifier = try object.string("NSVersionHashModifier")
        relationship.userInfo = try Self.userInfo(object)
        return relationship
    }

    func fetchedProperty(_ object: ArchivedObject) throws -> FetchedPropertyDescription {
        let name = try object.string("NSPropertyName") ?? ""
        let request = try fetchRequest(try object.required("NSFetchRequest"), name: "fetchedPropertyFetchRequest")
        var property = FetchedPropertyDescription(name, fetchRequest: request)
        if let entity = try object.string("_NSFetchRequestEntityName") { property.fetchRequest.entityName = entity }
        property.isOptional = try object.boolean("NSIsOptional")
        let identifier = try object.string("NSRenamingIdentifier")
        property.renamingIdentifier = identifier == name || identifier == "" ? nil : identifier
        property.versionHashModifier = try object.string("NSVersionHashModifier")
        property.userInfo = try Self.userInfo(object)
        return property
    }

    func fetchRequest(_ object: ArchivedObject, name: String) throws -> FetchRequestTemplate {
        let entity = try object.object("NSEntity")
        var request = FetchRequestTemplate(
            name,
            entityName: try entity?.string ?? entity?.string("NSEntityName") ?? object.string(ArchiveKeys.entityName)
                ?? "")
        request.predicateFormat = try object.string(ArchiveKeys.predicateFormat)
        if request.predicateFormat == nil, let predicate = try object.object("NSPredicate") {
            request.predicateFormat = try PredicateText().predicate(predicate)
        }
        request.fetchLimit = Int(try object.integer("NSFetchLimit") ?? 0)
        request.fetchBatchSize = Int(try object.integer("NSBatchSize") ?? 0)
        request.resultType = Int(try object.integer("NSResultType") ?? 0)
        if let flags = try object.integer("NSFetchRequestFlags") {
            request.includesSubentities = flags & ArchiveKeys.FetchFlags.subentities != 0
            request.includesPropertyValues = flags & ArchiveKeys.FetchFlags.propertyValues != 0
            request.returnsObjectsAsFaults = flags & ArchiveKeys.FetchFlags.faults != 0
            request.returnsDistinctResults = flags & ArchiveKeys.FetchFlags.distinct != 0
        }
        var keys: [String] = []
        for descriptor in try object.object("NSSortDescriptors")?.elements() ?? [] {
            guard let descriptor, let key = try descriptor.string("NSKey") else { continue }
            keys.append(try descriptor.boolean("NSAscending") ? key : "-\(key)")
        }
        if !keys.isEmpty { request.extraMarkup["sortKeys"] = keys.joined(separator: ",") }
        return request
    }

    func fetchIndex(_ object: ArchivedObject) throws -> FetchIndexDescription {
        var index = FetchIndexDescription(try object.string("NSIndexName") ?? "", elements: [])
        for object in try object.object("NSIndexElements")?.elements() ?? [] {
            guard let object else { continue }
            var element = FetchIndexDescription.Element(propertyName: try object.string("NSPropertyName"))
            element.expression = try object.string(ArchiveKeys.expressionFormat)
            if element.propertyName == nil, element.expression == nil,
                let expression = try object.object("NSExpression")
            {
                element.expression = try PredicateText().expression(expression)
            }
            element.kind =
                FetchIndexDescription.Kind(rawValue: Int(try object.integer("NSFetchIndexElementType") ?? 0)) ?? .binary
            element.isAscending = try object.boolean("NSAscending")
            index.elements.append(element)
        }
        index.partialIndexPredicate = try object.string(ArchiveKeys.predicateFormat)
        if index.partialIndexPredicate == nil, let predicate = try object.object("NSPartialIndexPredicate") {
            index.partialIndexPredicate = try PredicateText().predicate(predicate)
        }
        return index
    }
}
