import Foundation
import ModelCodegen
import ModelFiles
import Schema
import Testing

/// Classes for `import CoreData`. `CoreDataTests` compiles and runs those of its model.
struct CoreDataClassTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
        "../CoreDataTests/Generated")

    private func generator(_ configure: (inout CodeGenerator) -> Void = { _ in }) -> CodeGenerator {
        var generator = CodeGenerator()
        generator.framework = .coreData
        configure(&generator)
        return generator
    }

    @Test func theClassesAreThoseOfXcode() throws {
        let model = try ModelFile(contentsOf: Self.folder.appendingPathComponent("Ledger.xcdatamodel")).model()
        let generator = generator {
            $0.accessLevel = .internal
            $0.selection = .asDeclared
        }
        let expected = try String(contentsOf: Self.folder.appendingPathComponent("Ledger.swift"), encoding: .utf8)
        #expect(try generator.text(for: model, named: "Ledger", contents: "") == expected)
    }

    @Test func filesHaveXcodesNamesAndNoModel() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition("Book", managedObjectClassName: ".Volume"),
            EntityDefinition("Page", managedObjectClassName: "NSManagedObject"),
        ])
        let files = try generator().files(for: model, named: "Shop", contents: "")
        #expect(files.map(\.name) == ["Volume+CoreDataClass.swift", "Volume+CoreDataProperties.swift"])
        #expect(files.map(\.isKept) == [true, false])
        #expect(files[0].text == "public import CoreData\n\npublic class Volume: NSManagedObject {\n}\n")
        #expect(files[1].text.contains("NSFetchRequest<Volume>(entityName: \"Book\")"))
    }

    @Test func accessorsWhoseNameLeadsElsewhereNameTheirRelationship() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Book", managedObjectClassName: "Book",
                relationships: [
                    .init("tags", to: "Book", maxCount: 0), .init("Tags", to: "Book", maxCount: 0, isOrdered: true),
                ])
        ])
        let text = try generator().text(for: model, named: "Shop", contents: "")
        #expect(
            text.contains(
                "    public func addToTags(_ value: Book) { mutableOrderedSetValue(forKey: \"Tags\").add(value) }\n"))
        #expect(
            text.contains(
                "    public func addToTags_(_ value: Book) { mutableSetValue(forKey: \"tags\").add(value) }\n"))
    }

    @Test func typesThatAModelNamesWronglyAreObjects() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Book", managedObjectClassName: "Book",
                attributes: [
                    .init("a", .transformable, attributeValueClassName: "Shop.Color"),
                    .init("b", .transformable, attributeValueClassName: "not (a) type"), .init("c", .transformable),
                ])
        ])
        let text = try generator().text(for: model, named: "Shop", contents: "")
        #expect(text.contains("var a: Shop.Color?\n"))
        #expect(text.contains("var b: NSObject?\n") && text.contains("var c: NSObject?\n"))
    }
}
