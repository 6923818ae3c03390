import CoreData
import Testing

/// Models that are built, copied, merged and read from files.
struct ModelTests {
    @Test func copiesAndMergedModelsKeepWhatIsInNoModelFile() throws {
        let model = Library.model()
        model.localizationDictionary = ["Entity/Book": "Buch"]
        let year = try #require(model.entitiesByName["Book"]?.attributesByName["year"])
        year.setValidationPredicates(
            [NSPredicate(format: "modulus:by:(SELF, 2) == 0")], withValidationWarnings: ["not even"])
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        request.fetchOffset = 3
        model.setFetchRequestTemplate(request, forName: "rest")
        let copy = try #require(model.copy() as? NSManagedObjectModel)
        let merged = try #require(NSManagedObjectModel(byMerging: [model, Self.model(named: "Shelf")]))
        #expect(merged.entities.count == 3)
        for model in [copy, merged] {
            let year = try #require(model.entitiesByName["Book"]?.attributesByName["year"])
            #expect(year.validationPredicates.count == 1 && year.validationWarnings as? [String] == ["not even"])
            #expect(model.localizationDictionary == ["Entity/Book": "Buch"])
            #expect(model.fetchRequestTemplate(forName: "rest")?.fetchOffset == 3)
            let books = try #require(model.entitiesByName["Author"]?.relationshipsByName["books"])
            #expect(books.destinationEntity === model.entitiesByName["Book"])
            #expect(books.inverseRelationship === model.entitiesByName["Book"]?.relationshipsByName["author"])
        }
        #expect(copy == model)
    }

    @Test func whatIsClearedInACopyIsClearedThereAlone() throws {
        let model = Library.model()
        let book = try #require(model.entitiesByName["Book"]), author = try #require(model.entitiesByName["Author"])
        let title = try #require(book.attributesByName["title"])
        book.uniquenessConstraints = [[title]]
        let element = NSFetchIndexElementDescription(property: title, collationType: .binary)
        book.indexes = [NSFetchIndexDescription(name: "byTitle", elements: [element])]
        let read = try #require(model.copy() as? NSManagedObjectModel)
        let copy = try #require(read.copy() as? NSManagedObjectModel)
        #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
        let changed = try #require(copy.entitiesByName["Book"])
        #expect(changed.uniquenessConstraints.count == 1)
        changed.uniquenessConstraints = []
        #expect(changed.uniquenessConstraints.isEmpty)
        let index = try #require(changed.indexes.first)
        #expect(index !== book.indexes.first && index.entity === changed)
        #expect(index.elements.first?.property === changed.attributesByName["title"])
        index.name = "renamed"
        #expect(book.indexes.first?.name == "byTitle" && author.indexes.isEmpty)
        let writer = try #require(changed.relationshipsByName["author"])
        let books = try #require(copy.entitiesByName["Author"]?.relationshipsByName["books"])
        writer.inverseRelationship = nil
        books.inverseRelationship = nil
        #expect(copy.entityVersionHashesByName["Book"] != model.entityVersionHashesByName["Book"])
        let again = try #require(copy.copy() as? NSManagedObjectModel)
        #expect(again.entitiesByName["Book"]?.relationshipsByName["author"]?.inverseRelationship == nil)
        #expect(again.entitiesByName["Book"]?.uniquenessConstraints.isEmpty == true)
        let loose = try #require(writer.copy() as? NSRelationshipDescription)
        writer.destinationEntity = nil
        #expect(writer.destinationEntity == nil && loose.name == "author")
    }
}

extension ModelTests {
    @Test func aTemplateGivesRequestsWithAllItsSettings() throws {
        let model = Library.model()
        let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
        request.predicate = NSPredicate(format: "year > $YEAR")
        request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: false)]
        (request.fetchLimit, request.fetchOffset, request.fetchBatchSize) = (5, 2, 20)
        request.relationshipKeyPathsForPrefetching = ["author"]
        request.propertiesToFetch = ["title"]
        request.includesPendingChanges = false
        request.havingPredicate = NSPredicate(value: true)
        model.setFetchRequestTemplate(request, forName: "late")
        let made = try #require(
            model.fetchRequestFromTemplate(withName: "late", substitutionVariables: ["YEAR": 1960]))
        #expect(made !== request && made.entityName == "Book")
        #expect(made.predicate == NSPredicate(format: "year > 1960") && made.sortDescriptors == request.sortDescriptors)
        #expect(made.fetchLimit == 5 && made.fetchOffset == 2 && made.fetchBatchSize == 20)
        #expect(
            made.relationshipKeyPathsForPrefetching == ["author"] && made.propertiesToFetch as? [String] == ["title"])
        #expect(!made.includesPendingChanges && made.havingPredicate != nil)
        #expect(model.fetchRequestFromTemplate(withName: "none", substitutionVariables: [:]) == nil)
    }

    @Test func predicatesOfClosuresAreNoPartOfAModel() async {
        await #expect(processExitsWith: .failure) {
            let model = Library.model()
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
            request.predicate = NSPredicate { _, _ in true }
            model.setFetchRequestTemplate(request, forName: "closure")
            _ = model.versionChecksum
        }
        await #expect(processExitsWith: .failure) {
            let model = Library.model()
            let index = NSFetchIndexDescription(name: "some", elements: nil)
            index.partialIndexPredicate = NSPredicate { _, _ in true }
            model.entitiesByName["Book"]?.indexes = [index]
            _ = model.versionChecksum
        }
    }

    @Test(arguments: [
        #"<fetchRequest name="r" entity="Book" predicateString="title =="/>"#,
        #"<fetchRequest name="r" entity="Book" resultType="-1"/>"#,
        #"<fetchRequest name="r" entity="Book" resultType="7"/>"#,
    ]) func aModelFileThatMakesNoSenseCanNotBeRead(_ markup: String) throws {
        let folder = try Folder()
        let good = try ModelSource("Good").write(in: folder), bad = try ModelSource("Bad", markup).write(in: folder)
        #expect(NSManagedObjectModel(contentsOf: good)?.entities.count == 1)
        #expect(NSManagedObjectModel(contentsOf: bad) == nil)
        let bundle = try #require(Bundle(path: folder.url.path))
        #expect(NSManagedObjectModel.mergedModel(from: [bundle]) == nil)
        let other = try Folder()
        _ = try ModelSource("Good").write(in: other)
        let readable = try #require(Bundle(path: other.url.path))
        #expect(NSManagedObjectModel.mergedModel(from: [readable])?.entities.count == 1)
    }

    @Test func propertiesOfAllKindsHaveTheSameMembers() {
        let attribute = NSAttributeDescription(), relationship = NSRelationshipDescription()
        let fetched = NSFetchedPropertyDescription(), column = NSExpressionDescription()
        for property in [attribute, relationship, fetched, column] as [NSPropertyDescription] {
            property.name = "name"
            property.isOptional = false
            property.versionHashModifier = "1"
            property.userInfo = ["key": "text"]
            #expect(property.renamingIdentifier == "name")
            property.renamingIdentifier = "former"
            let copy = property.copy() as? NSPropertyDescription
            for property in [property, copy] {
                #expect(property?.name == "name" && property?.isOptional == false)
                #expect(property?.versionHashModifier == "1" && property?.renamingIdentifier == "former")
                #expect(property?.userInfo as? [String: String] == ["key": "text"])
            }
        }
    }
}

extension ModelTests {
    /// A model with one entity.
    static func model(named name: String) -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = [Library.attribute("name", .stringAttributeType)]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }
}

/// A model file with books that have a title.
struct ModelSource {
    private let name: String
    private let markup: String

    init(_ name: String, _ markup: String = "") { (self.name, self.markup) = (name, markup) }

    func write(in folder: Folder) throws -> URL {
        let file = folder.url.appendingPathComponent("\(name).xcdatamodeld")
        let version = file.appendingPathComponent("\(name).xcdatamodel")
        try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
        let text = """
            <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
            <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
                <entity name="Book" syncable="YES">
                    <attribute name="title" optional="YES" attributeType="String"/>
                </entity>
                \(markup)
            </model>
            """
        try Data(text.utf8).write(to: version.appendingPathComponent("contents"))
        return file
    }
}
