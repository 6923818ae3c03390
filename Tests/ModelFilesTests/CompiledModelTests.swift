import Coding
import Foundation
import ModelFiles
import Schema
import Testing

struct CompiledModelTests {
    @Test(arguments: [CompiledModel.Form.file, .storeCache])
    func aModelWithEverythingComesBack(form: CompiledModel.Form) throws {
        let model = try SampleModels.everything()
        let archive = try CompiledModel.encode(model, form: form)
        let copy = try CompiledModel.decode(archive)
        #expect(copy.definition == model.compiledDescription)
        #expect(copy.versionHashesByEntityName == model.versionHashesByEntityName)
        #expect(try CompiledModel.encode(copy, form: form) == archive)
    }

    @Test func theModelOfAStoreComesBack() throws {
        let model = try SampleModels.everything()
        #expect(try ModelCache.decode(try ModelCache.encode(model)).definition == model.compiledDescription)
        #expect(throws: ModelError.self) { try ModelCache.decode(Data([1, 2, 3])) }
        #expect(throws: ModelError.self) { try ModelCache.decode(try RawDeflate.compress(Data("no archive".utf8))) }
    }

    @Test func archivesUseTheKeysOfCoreData() throws {
        let root = try KeyedArchive(try CompiledModel.encode(try SampleModels.everything())).root()
        #expect(root.classChain == ["NSManagedObjectModel", "NSObject"])
        let entities = try #require(try root.object("NSEntities")?.namedEntries())
        let thing = try #require(entities.first { $0.name == "Thing" }?.value)
        #expect(try thing.boolean("NSIsAbstract"))
        #expect(try thing.object("NSManagedObjectModel") == root)
        let properties = try #require(try thing.object("NSProperties")?.namedEntries())
        func property(_ name: String) throws -> ArchivedObject {
            try #require(properties.first { $0.name == name }?.value)
        }
        // The flag words are those that real archives hold for such properties.
        #expect(try property("count64").integer("_P") == 243)
        #expect(try property("parts").integer("_P") == 1267)
        #expect(try property("kind").integer("_P") == 115)
        #expect(try property("total").integer("_P") == 247)
        #expect(try property("name").integer("_P") == 193)
        #expect(try property("blob").integer("NSFlagsKey") == 4)
        #expect(try property("key").integer("NSFlagsKey") == 16)
        #expect(
            try property("owner").object("NSInverseRelationship")?.object("NSInverseRelationship") == property("owner"))
        #expect(try property("total").className == "NSDerivedAttributeDescription")
        #expect(try property("total").object("NSDerivationExpression")?.string("NSSelectorName") == "count:")
        let predicates = try #require(try property("name").object("NSValidationPredicates")?.elements())
        #expect(predicates.count == 3)
        let part = try #require(entities.first { $0.name == "Part" }?.value)
        #expect(try part.object("NSProperties")?.namedEntries()?.map(\.name) == ["weight"])
    }

    @Test func storesListInheritedPropertiesTooAndUseKnownKeys() throws {
        let root = try KeyedArchive(try CompiledModel.encode(try SampleModels.everything(), form: .storeCache)).root()
        #expect(try root.object("NSEntities")?.className == "NSKnownKeysDictionary1")
        let part = try #require(try root.object("NSEntities")?.namedEntries()?.first { $0.name == "Part" }?.value)
        let owner = try #require(try part.object("NSProperties")?.namedEntries()?.first { $0.name == "owner" }?.value)
        #expect(try owner.object("NSEntity") == part)
    }

    @Test func valuesOfForeignClassesAreLeftAlone() throws {
        var writer = KeyedArchiveWriter()
        let cover = writer.add(class: ["App.Cover", "NSObject"], fields: ["text": writer.add(string: "x").value])
        let attribute = writer.add(
            class: ["NSAttributeDescription", "NSPropertyDescription", "NSObject"],
            fields: [
                "NSPropertyName": writer.add(string: "cover").value, "NSAttributeType": 1800,
                "NSDefaultValue": cover.value, "NSIsOptional": true,
            ])
        let entity = writer.add(
            class: ["NSEntityDescription", "NSObject"],
            fields: [
                "NSEntityName": writer.add(string: "Book").value,
                "NSClassNameForEntity": KeyedArchiveWriter.Reference.null.value,
                "NSProperties": writer.add(dictionary: [(key: writer.add(string: "cover"), value: attribute)]).value,
            ])
        let root = writer.add(
            class: ["NSManagedObjectModel", "NSObject"],
            fields: ["NSEntities": writer.add(dictionary: [(key: writer.add(string: "Book"), value: entity)]).value])
        let model = try CompiledModel.decode(writer.finish(root: root))
        #expect(model.entity(named: "Book")?.attributes.map(\.name) == ["cover"])
        #expect(model.entity(named: "Book")?.managedObjectClassName == nil)
    }
}

extension CompiledModelTests {
    @Test func predicatesThatNestWithoutEndAreRefused() throws {
        var writer = KeyedArchiveWriter()
        let predicate = writer.reserve()
        writer.fill(
            predicate, class: ["NSCompoundPredicate", "NSPredicate"],
            fields: ["NSCompoundPredicateType": 0, "NSSubpredicates": writer.add(array: [predicate]).value])
        let request = writer.add(
            class: ["NSFetchRequest"],
            fields: ["NSPredicate": predicate.value, "NSEntity": writer.add(string: "A").value])
        let root = writer.add(
            class: ["NSManagedObjectModel"],
            fields: [
                "NSEntities": writer.add(dictionary: []).value,
                "NSFetchRequestTemplates": writer.add(dictionary: [(key: writer.add(string: "t"), value: request)])
                    .value,
            ])
        #expect(throws: ModelError.self) { try CompiledModel.decode(writer.finish(root: root)) }
    }

    @Test func everyFlippedByteGivesAModelOrAnError() throws {
        let model = try ManagedObjectModel(entities: [
            EntityDefinition("A", attributes: [AttributeDescription("a", .string, defaultValue: .string("x"))])
        ])
        let whole = [UInt8](try CompiledModel.encode(model))
        for index in whole.indices {
            for change in [UInt8(1), 0x10, 0x80] {
                var bytes = whole
                bytes[index] ^= change
                _ = try? CompiledModel.decode(Data(bytes))
            }
        }
    }
}
