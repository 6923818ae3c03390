internal import Coding
internal import Schema

extension ContentsReader {
    mutating func relationship(_ element: XMLTree, of owner: String) -> RelationshipDescription {
        var fields = MarkupFields(element)
        let name = fields.take("name") ?? ""
        var relationship = RelationshipDescription(
            name, to: fields.take("destinationEntity") ?? "", inverse: fields.text("inverseName"))
        _ = fields.take("inverseEntity")
        let isToMany = fields.flag("toMany")
        relationship.maxCount = fields.integer("maxCount") ?? (isToMany ? 0 : 1)
        relationship.minCount = fields.integer("minCount") ?? 0
        relationship.isOptional = fields.flag("optional")
        relationship.isTransient = fields.flag("transient")
        relationship.isOrdered = fields.flag("ordered")
        relationship.isIndexed = fields.flag("indexed")
        if let rule = fields.text("deletionRule") {
            if let known = DeleteRule(modelFileName: rule) {
                relationship.deleteRule = known
            } else {
                warn("the delete rule “\(rule)” is not known: Nullify is taken", owner, name)
            }
        }
        relationship.renamingIdentifier = fields.text("elementID").flatMap { $0 == name ? nil : $0 }
        relationship.versionHashModifier = fields.text("versionHashModifier")
        relationship.userInfo = element.children(named: "userInfo").first.map { userInfo($0) } ?? [:]
        relationship.extraMarkup = fields.rest
        return relationship
    }

    mutating func fetchedProperty(_ element: XMLTree, of owner: String) -> FetchedPropertyDescription {
        var fields = MarkupFields(element)
        let name = fields.take("name") ?? ""
        let requests = element.children(named: "fetchRequest").map { fetchRequest($0) }
        if requests.count > 1 {
            warn("a fetched property has one fetch request, not \(requests.count): the first is taken", owner, name)
        }
        var property = FetchedPropertyDescription(
            name, fetchRequest: requests.first ?? FetchRequestTemplate("", entityName: ""))
        property.isOptional = fields.flag("optional")
        property.renamingIdentifier = fields.text("elementID").flatMap { $0 == name ? nil : $0 }
        property.versionHashModifier = fields.text("versionHashModifier")
        property.userInfo = element.children(named: "userInfo").first.map { userInfo($0) } ?? [:]
        property.extraMarkup = fields.rest
        return property
    }

    func fetchRequest(_ element: XMLTree) -> FetchRequestTemplate {
        var fields = MarkupFields(element)
        var request = FetchRequestTemplate(fields.take("name") ?? "", entityName: fields.take("entity") ?? "")
        request.predicateFormat = fields.text("predicateString")
        request.fetchLimit = fields.integer("fetchLimit") ?? 0
        request.fetchBatchSize = fields.integer("fetchBatchSize") ?? 0
        // Some tools write these with the names of the fetch request's properties.
        request.includesSubentities = fields.flag(
            "includeSubentities", absent: fields.flag("includesSubentities", absent: true))
        request.includesPropertyValues = fields.flag(
            "includePropertyValues", absent: fields.flag("includesPropertyValues", absent: true))
        request.returnsObjectsAsFaults = fields.flag(
            "returnObjectsAsFaults", absent: fields.flag("returnsObjectsAsFaults", absent: true))
        request.returnsDistinctResults = fields.flag(
            "returnDistinctResults", absent: fields.flag("returnsDistinctResults"))
        request.resultType = fields.integer("resultType") ?? 0
        request.extraMarkup = fields.rest
        return request
    }

    func fetchIndex(_ element: XMLTree) -> FetchIndexDescription {
        let elements = element.children(named: "fetchIndexElement").map { child in
            var fields = MarkupFields(child)
            var element = FetchIndexDescription.Element(
                propertyName: fields.text("property"), expression: fields.text("expression"))
            element.kind = fields.rest["type"]?.lowercased() == "rtree" ? .rTree : .binary
            _ = fields.take("type")
            element.isAscending = fields.take("order") != "descending"
            element.extraMarkup = fields.rest
            return element
        }
        let predicate = element["partialIndexPredicate"].flatMap { $0.isEmpty ? nil : $0 }
        return FetchIndexDescription(element["name"] ?? "", elements: elements, partialIndexPredicate: predicate)
    }
}

extension DeleteRule {
    /// The name that `.xcdatamodel` files use.
    var modelFileName: String {
        switch self {
        case .noAction: "No Action"
        case .nullify: "Nullify"
        case .cascade: "Cascade"
        case .deny: "Deny"
        }
    }

    init?(modelFileName name: String) {
        guard let rule = Self.allCases.first(where: { $0.modelFileName == name }) else { return nil }
        self = rule
    }
}
