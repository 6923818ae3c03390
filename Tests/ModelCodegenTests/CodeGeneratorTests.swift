import ModelCodegen
import ModelFiles
import Schema
import TestSupport
import Testing

@Suite("Generated classes")
struct CodeGeneratorTests {
    private func model() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                "Book", managedObjectClassName: ".Book",
                attributes: [
                    .init("title", .string, isOptional: false, userInfo: ["documentation": "As on the cover."]), .init("year", .integer16, usesScalarValueType: true),
                    .init("pages", .integer32), .init("published", .date, usesScalarValueType: true), .init("description", .string), .init("in", .boolean),
                    .init("loans", .integer64, derivationExpression: "tags.@count"), .init("cover", .binary, allowsExternalBinaryDataStorage: true),
                ],
                relationships: [
                    .init("author", to: "Author", inverse: "books"), .init("tags", to: "Tag", maxCount: 0), .init("chapters", to: "Author", maxCount: 0, isOrdered: true),
                ]),
            EntityDescription("Novel", managedObjectClassName: "Library.Novel", superentityName: "Book"),
            EntityDescription("Author", managedObjectClassName: "NSManagedObject", relationships: [.init("books", to: "Book", inverse: "author", maxCount: 0)]),
            EntityDescription("Tag", managedObjectClassName: "Tag"),
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
                "Book+Class.swift", "Book+Properties.swift", "Novel+Class.swift", "Novel+Properties.swift", "Tag+Class.swift", "Tag+Properties.swift",
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
        #expect(text.contains("static let descriptionProperty = TypedAttribute<String>(\"description\")"))
    }

    @Test func derivedValuesCanNotBeSet() throws {
        let text = try #require(files()["Book+Properties.swift"]?.text)
        #expect(text.contains("public var loans: Int64? {\n        get { self[Self.loansProperty] }\n    }"))
    }

    @Test func orderedRelationshipsGetTheirAccessors() throws {
        let text = try #require(files()["Book+Properties.swift"]?.text)
        #expect(text.contains("func insertIntoChapters(_ value: ManagedObject, at idx: Int)") && !text.contains("insertIntoTags"))
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
        var description = try model().description
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
            EntityDescription("A", managedObjectClassName: "X.Thing"), EntityDescription("B", managedObjectClassName: "Y.Thing"),
            EntityDescription("C", managedObjectClassName: "no name"),
        ])
        #expect(throws: CodegenError(faults: ["B: its class Thing is that of A too", "C: “no name” is no name of a Swift class"])) {
            try CodeGenerator().files(for: model, named: "M", contents: "")
        }
    }
}
