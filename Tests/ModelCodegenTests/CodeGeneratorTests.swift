import Foundation
import ModelCodegen
import ModelFiles
import Schema
import TestSupport
import Testing

@Suite("Generated classes")
struct CodeGeneratorTests {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDefinition(
                "Book", managedObjectClassName: ".Book",
                attributes: [
                    .init("title", .string, isOptional: false, userInfo: ["documentation": "As on the cover."]),
                    .init("year", .integer16, usesScalarValueType: true),
                    .init("pages", .integer32), .init("published", .date, usesScalarValueType: true),
                    .init("description", .string), .init("in", .boolean),
                    .init("loans", .integer64, derivationExpression: "tags.@count"),
                    .init("cover", .binary, allowsExternalBinaryDataStorage: true),
                ],
                relationships: [
                    .init("author", to: "Author", inverse: "books"), .init("tags", to: "Tag", maxCount: 0),
                    .init("chapters", to: "Author", maxCount: 0, isOrdered: true),
                ]),
            EntityDefinition("Novel", managedObjectClassName: "Library.Novel", superentityName: "Book"),
            EntityDefinition(
                "Author", managedObjectClassName: "NSManagedObject",
                relationships: [.init("books", to: "Book", inverse: "author", maxCount: 0)]),
            EntityDefinition("Tag", managedObjectClassName: "Tag"),
        ])
    }

    private func files(_ configure: (inout CodeGenerator) -> Void = { _ in }) throws -> [String: GeneratedFile] {
        var generator = CodeGenerator()
        configure(&generator)
        let files = try generator.files(for: model(), named: "My Library", contents: "<model>\n  #\"\"\"\n</model>\n")
        return Dictionary(uniqueKeysWithValues: files.map { ($0.name, $0) })
    }

    @Test func everyEntityThatNamesAClassGetsTwoFiles() throws {
        let files = try files()
        #expect(
            Set(files.keys) == [
                "Book+Class.swift", "Book+Properties.swift", "Novel+Class.swift", "Novel+Properties.swift",
                "Tag+Class.swift", "Tag+Properties.swift",
                "MyLibraryModel.swift",
            ])
        #expect(files["Book+Class.swift"]?.isKept == true && files["Book+Properties.swift"]?.isKept == false)
    }

    @Test func classesInheritAsTheirEntitiesDo() throws {
        let files = try files()
        #expect(files["Book+Class.swift"]?.text.contains("open class Book: ManagedObject {") == true)
        #expect(files["Novel+Class.swift"]?.text.contains("public final class Novel: Book {") == true)
    }

    @Test func typesAreThoseOfXcode() throws {
        let text = try #require(files()["Book+Properties.swift"]?.text)
        #expect(text.contains("    /// As on the cover.\n    public var title: String? {\n"))
        #expect(text.contains("public var year: Int16 {\n        get { self[required: Self.yearProperty] }"))
        #expect(text.contains("public var pages: Int32? {"))
        #expect(text.contains("public var published: TimeInterval {"))
        #expect(text.contains("public var cover: LargeValue? {"))
        #expect(text.contains("public var author: ManagedObject? {"))
        #expect(text.contains("public var tags: ManagedObjects<Tag> {"))
    }

    @Test func namesThatSwiftOrTheBaseClassTakesAreChanged() throws {
        let text = try #require(files()["Book+Properties.swift"]?.text)
        #expect(text.contains("public var description_: String? {"))
        #expect(text.contains("public var `in`: Bool? {"))
        #expect(text.contains("static let descriptionProperty = _TypedAttribute<String>(\"description\")"))
    }
}

extension CodeGeneratorTests {
    @Test func derivedValuesCanNotBeSet() throws {
        let text = try #require(files()["Book+Properties.swift"]?.text)
        #expect(text.contains("public var loans: Int64? {\n        get { self[Self.loansProperty] }\n    }"))
    }

    @Test func orderedRelationshipsGetTheirAccessors() throws {
        let text = try #require(files()["Book+Properties.swift"]?.text)
        #expect(
            text.contains("func insertIntoChapters(_ value: ManagedObject, at idx: Int)")
                && !text.contains("insertIntoTags"))
    }

    @Test func orderedRelationshipsTakeIndexSetsAsXcodesDo() throws {
        let text = try #require(files()["Book+Properties.swift"]?.text)
        #expect(text.contains("public import Foundation\n"))
        for method in [
            "insertIntoChapters(_ values: [ManagedObject], at indexes: IndexSet)",
            "removeFromChapters(at indexes: IndexSet)", "replaceChapters(at idx: Int, with value: ManagedObject)",
            "replaceChapters(at indexes: IndexSet, with values: [ManagedObject])",
        ] { #expect(text.contains("    public func \(method) {"), "\(method)") }
    }

    @Test func classesSayWhatTheirKeyPathsAreCalled() throws {
        let files = try files()
        let book = try #require(files["Book+Properties.swift"]?.text),
            novel = try #require(files["Novel+Properties.swift"]?.text)
        #expect(
            book.contains(
                "            names[\\Object.description_] = \"description\"\n            names[\\Object.`in`] = \"in\"\n"
            ))
        #expect(
            book.contains("extension Book: _KeyPathDeclaring {\n")
                && book.contains("        [Book.bookKeyPaths, Novel.novelKeyPaths]\n"))
        // The uppermost class conforms for all.
        #expect(
            book.contains("extension Book: Identifiable {}") && !novel.contains("_KeyPathDeclaring")
                && !novel.contains("Identifiable"))
    }

    @Test func classesOfOtherNamesSayWhatTheirEntityIsCalled() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition("Book", managedObjectClassName: "Volume"),
            EntityDefinition("Novel", managedObjectClassName: "Novel", superentityName: "Book"),
        ])
        let text = try CodeGenerator().text(for: model, named: "M", contents: "<model/>")
        #expect(
            text.contains(
                "    public static var _entityNames: [ObjectIdentifier: String] {\n        [ObjectIdentifier(Volume.self): \"Book\"]\n    }\n"
            ))
    }

    @Test func codableIsOnRequest() throws {
        let plain = try files(), codable = try files { $0.isCodable = true }
        #expect(plain.values.allSatisfy { !$0.text.contains("CodableObject") })
        #expect(codable["Book+Properties.swift"]?.text.contains("extension Book: CodableObject {}") == true)
        #expect(codable["Novel+Properties.swift"]?.text.contains("CodableObject") == false)
    }

    @Test func fetchedPropertiesAndTemplatesAreTyped() throws {
        var description = try model().definition
        for index in description.entities.indices where description.entities[index].name == "Tag" {
            description.entities[index].fetchedProperties = [
                FetchedPropertyDescription(
                    "novels",
                    fetchRequest: FetchRequestTemplate(
                        "", entityName: "Novel", predicateFormat: "tags CONTAINS $FETCH_SOURCE"),
                    userInfo: ["documentation": "With this tag."])
            ]
        }
        description.fetchRequestTemplates = [
            FetchRequestTemplate("recent books", entityName: "Book", predicateFormat: "year > $YEAR")
        ]
        let files = try CodeGenerator().files(for: ManagedObjectModel(description), named: "M", contents: "")
        let tag = files.first { $0.name == "Tag+Properties.swift" }?.text, whole = files.last?.text
        #expect(
            tag?.contains(
                "    /// With this tag.\n    public var novels: [Novel] { self[\"novels\"] as? [Novel] ?? [] }\n")
                == true)
        #expect(
            whole?.contains(
                "    public static func recentBooksRequest(_ variables: [String: (any PredicateArgument)?] = [:]) throws -> FetchRequest<Book> {\n"
            ) == true)
    }
}

extension CodeGeneratorTests {
    @Test func oneTextHoldsAll() throws {
        let text = try CodeGenerator().text(for: model(), named: "My Library", contents: "<model/>")
        #expect(
            text.hasPrefix(
                "// Generated from the model: changes made here are lost.\npublic import Folio\npublic import Foundation\n\nopen class Book: ManagedObject {\n}\n\nextension Book {\n"
            ))
        #expect(
            text.components(separatedBy: "import Folio\n").count == 2 && text.contains("public enum MyLibraryModel {"))
    }

    @Test func accessLevelsAreChosen() throws {
        let files = try files { $0.accessLevel = .internal }
        #expect(files["Tag+Class.swift"]?.text.contains("\nfinal class Tag: ManagedObject {") == true)
        #expect(files["Tag+Properties.swift"]?.text.contains("public") == false)
    }

    @Test func theModelIsCarriedAsText() throws {
        let text = try #require(files()["MyLibraryModel.swift"]?.text)
        #expect(text.contains("public enum MyLibraryModel {") && text.contains("\".Book\": Book.self,"))
        #expect(text.contains("private static let text = ##\"\"\"\n        <model>\n          #\"\"\"\n"))
    }

    @Test func manualEntitiesAreLeftToTheirUsers() throws {
        var description = try model().definition
        description.entities = description.entities.map { entity in
            var entity = entity
            entity.extraMarkup["codeGenerationType"] = ["Book": "class", "Novel": "category"][entity.name]
            return entity
        }
        var generator = CodeGenerator()
        generator.selection = .asDeclared
        let names = try generator.files(for: ManagedObjectModel(description), named: "M", contents: "").map(\.name)
        #expect(Set(names) == ["Book+Class.swift", "Book+Properties.swift", "Novel+Properties.swift", "MModel.swift"])
    }

    @Test func classesOfTheSameNameAreRefused() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition("A", managedObjectClassName: "X.Thing"),
            EntityDefinition("B", managedObjectClassName: "Y.Thing"),
            EntityDefinition("C", managedObjectClassName: "no name"),
        ])
        #expect(
            throws: CodegenError(faults: [
                "B: its class Thing is that of A too", "C: “no name” is no name of a Swift class",
            ])
        ) {
            try CodeGenerator().files(for: model, named: "M", contents: "")
        }
    }
}
