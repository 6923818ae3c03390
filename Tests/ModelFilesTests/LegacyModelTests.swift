import Coding
import Foundation
import ModelFiles
import Schema
import Testing

/// Archives in the shape that the editor of Xcode 3 wrote.
struct LegacyModelTests {
    private struct Builder {
        var writer = KeyedArchiveWriter()

        mutating func dictionary(_ pairs: [(String, KeyedArchiveWriter.Reference)]) -> PropertyListValue {
            writer.add(dictionary: pairs.map { (key: writer.add(string: $0.0), value: $0.1) }, isMutable: true).value
        }

        /// The stereotypes of an object, each with its traits.
        mutating func stereotypes(_ stereotypes: [(String, [(String, KeyedArchiveWriter.Reference)])])
            -> PropertyListValue
        {
            dictionary(
                stereotypes.map { name, traits in
                    let properties = traits.map { key, value in
                        (
                            key,
                            writer.add(
                                class: ["XDUMLPropertyImp"],
                                fields: ["_name": writer.add(string: key).value, "_default": value.value])
                        )
                    }
                    return (
                        name,
                        writer.add(
                            class: ["XDUMLStereotypeImp"],
                            fields: ["XDBucketForOwnedAttributesstorage": dictionary(properties)])
                    )
                })
        }

        mutating func model(_ entities: [(String, KeyedArchiveWriter.Reference)]) -> Data {
            let package = writer.add(
                class: ["XDModelPackage"], fields: ["XDBucketForClassesstorage": dictionary(entities)])
            return writer.finish(
                root: writer.add(
                    class: ["XDPMModel"],
                    fields: ["_xd_rootPackage": package.value, "_modelVersionIdentifier": .uid(0)]))
        }
    }

    @Test func entitiesAndTheirPropertiesAreRead() throws {
        var builder = Builder()
        let recipe = builder.writer.reserve(), part = builder.writer.reserve(), parts = builder.writer.reserve(),
            whole = builder.writer.reserve()
        let yes = builder.writer.add(true), one = builder.writer.add(.integer(1)),
            zero = builder.writer.add(.integer(0))
        let attribute = builder.writer.add(
            class: ["XDPMAttribute"],
            fields: [
                "_name": builder.writer.add(string: "name").value,
                "XDBucketForStereotypesstorage": builder.stereotypes([
                    (
                        "XD_PAtt_Stereotype",
                        [
                            ("XD_PAttK_attributeType", builder.writer.add(.integer(700))),
                            ("XD_PAttK_defaultValueAsString", builder.writer.add(string: "none")),
                            ("XD_PAttK_maxValueString", builder.writer.add(string: "25")),
                        ]
                    ),
                    ("XD_PPropStereotype", [("XD_PPSK_isIndexed", yes)]),
                ]),
            ])
        for (place, name, inverse, destination, counts, rule) in [
            (parts, "parts", whole, part, zero, builder.writer.add(.integer(2))),
            (whole, "whole", parts, recipe, one, one),
        ] {
            builder.writer.fill(
                place, class: ["XDPMRelationship"],
                fields: [
                    "_name": builder.writer.add(string: name).value,
                    "XDBucketForStereotypesstorage": builder.stereotypes([
                        (
                            "XD_PR_Stereotype",
                            [
                                ("XD_PRK_destination", destination), ("XD_PRK_inverseRelationship", inverse),
                                ("XD_PRK_maxCount", counts), ("XD_PRK_minCount", counts),
                                ("XD_PRK_deleteRule", rule),
                            ]
                        ),
                        ("XD_PPropStereotype", [("XD_PPSK_isOptional", yes)]),
                    ]),
                ])
        }
        for (place, name, properties) in [
            (recipe, "Recipe", [("name", attribute), ("parts", parts)]), (part, "Part", [("whole", whole)]),
        ] {
            builder.writer.fill(
                place, class: ["XDPMEntity"],
                fields: [
                    "_name": builder.writer.add(string: name).value,
                    "XDBucketForStereotypesstorage": builder.stereotypes([
                        ("XD_PStereotype", [("XD_PSK_entityClassName", builder.writer.add(string: "NSManagedObject"))])
                    ]),
                    "XDBucketForOwnedAttributesstorage": builder.dictionary(properties),
                ])
        }
        let model = try LegacyModel.decode(builder.model([("Recipe", recipe), ("Part", part)]))
        let expected = try ManagedObjectModel(entities: [
            EntityDefinition(
                "Recipe",
                attributes: [
                    AttributeDescription(
                        "name", .string, isOptional: false, defaultValue: .string("none"), maximumValue: .int(25),
                        isIndexed: true)
                ],
                relationships: [
                    RelationshipDescription("parts", to: "Part", inverse: "whole", maxCount: 0, deleteRule: .cascade)
                ]),
            EntityDefinition(
                "Part", relationships: [RelationshipDescription("whole", to: "Recipe", inverse: "parts", minCount: 1)]),
        ])
        #expect(model == expected)
    }

    /// Xcode shows a date in the words of its user, and mapping models keep that.
    @Test func aDefaultDateInTheUsersWordsIsNoneInAMappingModel() throws {
        var builder = Builder()
        let attribute = builder.writer.add(
            class: ["XDPMAttribute"],
            fields: [
                "_name": builder.writer.add(string: "begin").value,
                "XDBucketForStereotypesstorage": builder.stereotypes([
                    (
                        "XD_PAtt_Stereotype",
                        [
                            ("XD_PAttK_attributeType", builder.writer.add(.integer(900))),
                            ("XD_PAttK_defaultValueAsString", builder.writer.add(string: "01.01.2001 00:00 Uhr")),
                        ]
                    )
                ]),
            ])
        let entity = builder.writer.add(
            class: ["XDPMEntity"],
            fields: [
                "_name": builder.writer.add(string: "Trip").value,
                "XDBucketForOwnedAttributesstorage": builder.dictionary([("begin", attribute)]),
            ])
        let data = builder.model([("Trip", entity)])
        #expect(try LegacyModel.decode(data).warnings.count == 1)
        let text = """
            <database><databaseInfo><version>134481920</version><UUID>6F0C5D2E-0000-4000-8000-000000000001</UUID>\
            </databaseInfo><object type="XDDEVMAPPINGMODEL" id="z102">\
            <attribute name="sourcemodeldata" type="binary">\(data.base64EncodedString())</attribute>\
            <attribute name="destinationmodeldata" type="binary">\(data.base64EncodedString())</attribute>\
            </object></database>
            """
        let mapping = try MappingFile.decode(Data(text.utf8))
        let expected = try ManagedObjectModel(entities: [
            EntityDefinition("Trip", attributes: [AttributeDescription("begin", .date, isOptional: false)])
        ])
        #expect(mapping.source?.versionHashesByEntityName == expected.versionHashesByEntityName)
        #expect(mapping.destination?.entity(named: "Trip")?.property(named: "begin")?.attribute?.defaultValue == nil)
    }

    @Test func otherArchivesAreRefused() throws {
        var writer = KeyedArchiveWriter()
        let data = writer.finish(root: writer.add(class: ["Other"], fields: [:]))
        #expect(throws: ModelError.self) { try LegacyModel.decode(data) }
        #expect(throws: ModelError.self) { try LegacyModel.decode(Data()) }
    }
}
