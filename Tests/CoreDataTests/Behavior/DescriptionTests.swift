import CoreData
import Testing

/// Hashes, archives and merges of models and their parts.
@Suite struct DescriptionTests {
    // MARK: Hashes

    @Test func everyPropertyHasAHashOfItsOwn() throws {
        let model = Office.staff(), worker = try #require(model.entitiesByName["Worker"])
        let hashes = worker.properties.map(\.versionHash) + [worker.versionHash]
        #expect(Set(hashes).count == hashes.count && hashes.allSatisfy { $0.count == 32 })
        let name = Office.staff(version: 2).entitiesByName["Worker"]?.attributesByName["name"]
        #expect(name?.versionHash == worker.attributesByName["name"]?.versionHash)
    }

    @Test func looseDescriptionsHaveHashes() throws {
        let text = Library.attribute("value", .stringAttributeType)
        let number = Library.attribute("value", .integer32AttributeType)
        #expect(text.versionHash != number.versionHash && text.versionHash.count == 32)
        let before = text.versionHash
        text.versionHashModifier = "2"
        #expect(text.versionHash != before)
        let entity = NSEntityDescription()
        entity.name = "Thing"
        var seen = [entity.versionHash]
        entity.versionHashModifier = "2"
        seen.append(entity.versionHash)
        entity.properties = [text]
        seen.append(entity.versionHash)
        entity.uniquenessConstraints = [["value"]]
        seen.append(entity.versionHash)
        entity.isAbstract = true
        seen.append(entity.versionHash)
        #expect(Set(seen).count == seen.count)
        let link = Office.relationship("link", max: 1), links = Office.relationship("link", max: 0)
        #expect(link.versionHash != links.versionHash)
        #expect(NSFetchedPropertyDescription().versionHash.count == 32)
    }

    @Test func hashesAreTheSameInAModelAndOutOfIt() throws {
        let parent = Office.entity("Parent", [Library.attribute("name", .stringAttributeType)])
        let child = Office.entity("Child", [Library.attribute("size", .doubleAttributeType)])
        parent.subentities = [child]
        let loose = [parent.versionHash, child.versionHash]
        let model = Office.model(parent, child)
        #expect(loose == [parent.versionHash, child.versionHash])
        #expect(model.entityVersionHashesByName == ["Parent": loose[0], "Child": loose[1]])
        _ = try Office.open(model)
        #expect(loose == [parent.versionHash, child.versionHash])
        let staff = Office.staff()
        #expect(
            staff.entities.allSatisfy { $0.versionHash == staff.entityVersionHashesByName[$0.name ?? ""] })
    }

}

extension DescriptionTests {
    // MARK: Archives

    /// A model as an archive gives it back.
    private func archived<Part: NSObject & NSCoding>(_ part: Part) throws -> Part {
        let data = try NSKeyedArchiver.archivedData(withRootObject: part, requiringSecureCoding: true)
        return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Part.self, from: data))
    }

    private func check(_ model: NSManagedObjectModel) throws {
        let worker = try #require(model.entitiesByName["Worker"]), team = try #require(model.entitiesByName["Team"])
        let wage = try #require(worker.attributesByName["wage"])
        #expect(wage.attributeType == .integer32AttributeType && wage.isOptional)
        #expect(wage.validationWarnings as? [String] == ["Wages are paid.", "Not that number."])
        #expect(wage.validationPredicates.map { $0.evaluate(with: NSNumber(value: 666)) } == [true, false])
        #expect(worker.attributesByName["name"]?.isOptional == false)
        #expect(worker.relationshipsByName["team"]?.destinationEntity === team)
        #expect(worker.relationshipsByName["team"]?.inverseRelationship === team.relationshipsByName["workers"])
        #expect(team.relationshipsByName["workers"]?.deleteRule == .denyDeleteRule)
        #expect(model.entityVersionHashesByName == Office.staff().entityVersionHashesByName)
    }

    @Test func aModelIsArchivedWithItsPredicates() throws {
        let model = Office.staff()
        model.versionIdentifiers = ["2"]
        let copy = try archived(model)
        try check(copy)
        #expect(copy.versionIdentifiers == ["2"])
        let context = try Office.open(copy)
        context.add("Worker", ["name": "Ada", "wage": 666])
        #expect(failure { try context.save() }?.localizedDescription == "Not that number.")
    }

    @Test func anArchiveIsAModelFile() throws {
        let folder = try Folder()
        let bundle = folder.url.appendingPathComponent("Staff.momd")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(Office.staff(), forKey: "root")
        archiver.finishEncoding()
        let file = bundle.appendingPathComponent("Staff.mom")
        try archiver.encodedData.write(to: file)
        let info = ["NSManagedObjectModel_CurrentVersionName": "Staff"]
        try PropertyListSerialization.data(fromPropertyList: info, format: .xml, options: 0).write(
            to: bundle.appendingPathComponent("VersionInfo.plist"))
        try check(try #require(NSManagedObjectModel(contentsOf: file)))
        try check(try #require(NSManagedObjectModel(contentsOf: bundle)))
    }

    @Test func partsAreArchived() throws {
        let model = Office.staff()
        let entity = try archived(try #require(model.entitiesByName["Worker"]))
        #expect(entity.name == "Worker" && entity.attributesByName.count == 3)
        #expect(entity.relationshipsByName["team"]?.destinationEntity?.name == "Team")
        let name = try archived(try #require(model.entitiesByName["Worker"]?.attributesByName["name"]))
        #expect(name.name == "name" && !name.isOptional && name.validationWarnings as? [String] == ["That is no name."])
        let team = try archived(try #require(model.entitiesByName["Worker"]?.relationshipsByName["team"]))
        #expect(team.maxCount == 1 && team.destinationEntity?.name == "Team")
        #expect(team.inverseRelationship?.name == "workers" && team.inverseRelationship?.inverseRelationship != nil)
        let loose = try archived(Library.attribute("size", .doubleAttributeType) { $0.defaultValue = 2.5 })
        #expect(loose.name == "size" && loose.attributeType == .doubleAttributeType)
        #expect(loose.defaultValue as? Double == 2.5 && loose.validationPredicates.isEmpty)
        let column = NSExpressionDescription()
        (column.name, column.expressionResultType) = ("most", .integer32AttributeType)
        column.expression = NSExpression(format: "max:(wage)")
        let copy = try archived(column)
        #expect(copy.name == "most" && copy.expressionResultType == .integer32AttributeType)
        #expect(copy.expression == column.expression)
        let index = NSFetchIndexDescription(
            name: "byName",
            elements: [
                NSFetchIndexElementDescription(
                    property: Library.attribute("name", .stringAttributeType), collationType: .binary)
            ])
        let read = try archived(index)
        #expect(read.name == "byName" && read.elements.map(\.propertyName) == ["name"])
    }

    @Test func transformableDefaultsAreArchived() throws {
        let model = Office.model(
            Office.entity(
                "Item", [Library.attribute("payload", .transformableAttributeType) { $0.defaultValue = Swatch(1) }]))
        let copy = try archived(model)
        #expect(copy.entitiesByName["Item"]?.attributesByName["payload"]?.defaultValue as? Swatch == Swatch(1))
    }

}

extension DescriptionTests {
    // MARK: Merges and mappings

    @Test func noModelsMergeToAModelWithoutEntities() throws {
        let empty = try #require(NSManagedObjectModel(byMerging: []))
        #expect(empty.entities.isEmpty)
        #expect(NSManagedObjectModel(byMerging: nil) == nil)
        #expect(NSManagedObjectModel(byMerging: [], forStoreMetadata: [:]) == nil)
    }

    @Test func aMappingWithoutANameIsNamedAfterItsEntities() {
        let mapping = NSEntityMapping()
        (mapping.sourceEntityName, mapping.destinationEntityName) = ("Worker", "Person")
        #expect(mapping.name == "Worker->Person")
        let model = NSMappingModel()
        model.entityMappings = [mapping]
        #expect(Array(model.entityMappingsByName.keys) == ["Worker->Person"])
        mapping.name = "own"
        #expect(mapping.name == "own")
    }
}
