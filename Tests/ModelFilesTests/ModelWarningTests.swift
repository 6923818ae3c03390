import Foundation
import ModelFiles
import Schema
import Testing

/// Models that Xcode compiles with a warning, or with none.
struct ModelWarningTests {
    private func read(_ body: String) throws -> ManagedObjectModel {
        try ModelContents.decode(Data("<model>\(body)</model>".utf8))
    }

    private func defaultValue(_ type: String, _ fields: String) throws -> (PropertyValue?, [String]) {
        let model = try read("<entity name='A'><attribute name='x' attributeType='\(type)' \(fields)/></entity>")
        return (model.entity(named: "A")?.attributesByName["x"]?.defaultValue, model.warnings.map(\.description))
    }

    @Test(arguments: [
        ("Boolean", "0.0", PropertyValue.bool(false)), ("Boolean", "1.0", .bool(true)), ("Boolean", "0", .bool(false)),
        ("Boolean", "1", .bool(true)), ("Boolean", "NO", .bool(false)), ("Boolean", "YES", .bool(true)),
        ("Boolean", "true", .bool(true)), ("Boolean", "False", .bool(false)), ("Boolean", "n", .bool(false)),
        ("Boolean", " 2 ", .bool(true)), ("Integer 16", "1.0", .int(1)), ("Integer 32", " 5", .int(5)),
        ("Integer 64", "+7", .int(7)), ("Integer 64", "1e3", .int(1000)), ("Integer 16", "YES", .int(1)),
        ("Integer 16", "false", .int(0)), ("Integer 64", "0x10", .int(16)),
        ("Integer 64", "9223372036854775807", .int(.max)), ("Double", "0x1p-1", .double(0.5)),
        ("Double", "1E2", .double(100)), ("Double", "NO", .double(0)), ("Float", " 1.5", .float(1.5)),
        ("Decimal", "0x1p3", .decimal(8)), ("Decimal", "12.50", .decimal(Decimal(string: "12.5") ?? 0)),
        ("Decimal", "1e2", .decimal(100)), ("String", " 0.0", .string(" 0.0")), ("String", "", .string("")),
        ("Date", "12.5", .date(Date(timeIntervalSinceReferenceDate: 12.5))),
        (
            "UUID", " 8e3c2dd0-4a9d-4f42-9d1f-0d1a3c0f3c6f ",
            .uuid(UUID(uuidString: "8E3C2DD0-4A9D-4F42-9D1F-0D1A3C0F3C6F") ?? UUID())
        ),
        ("Binary", "AQ ID", .data(Data([1, 2, 3]))),
    ]) func defaultValuesAreReadInAllSpellings(_ type: String, _ text: String, _ expected: PropertyValue) throws {
        let (value, warnings) = try defaultValue(type, "defaultValueString='\(text)'")
        #expect(value == expected)
        #expect(warnings == [])
    }

    @Test(arguments: [
        ("Boolean", "perhaps"), ("Integer 16", "70000"), ("Integer 32", "1.5"), ("Integer 64", "many"),
        ("Double", "1,5"), ("Double", "nan"), ("Decimal", "1.2.3"), ("Date", "tomorrow"), ("UUID", "x"),
    ]) func aDefaultValueThatCanNotBeReadIsAWarning(_ type: String, _ text: String) throws {
        let (value, warnings) = try defaultValue(type, "defaultValueString='\(text)'")
        #expect(value == nil)
        #expect(warnings.count == 1)
        #expect(warnings.allSatisfy { $0.hasPrefix("A.x: ") && $0.contains(type) })
        let (date, more) = try defaultValue("Date", "defaultDateTimeInterval='soon' minDateTimeInterval='5'")
        #expect(date == nil && more.count == 1)
    }

    /// What is warned of, and that the model is otherwise read as it stands, also from what is
    /// written of it.
    private func warnings(_ body: String) throws -> [String] {
        let model = try read(body)
        for copy in [
            try ModelContents.decode(ModelContents.encode(model)),
            try CompiledModel.decode(CompiledModel.encode(model)),
            try ManagedObjectModel(model.definition),
        ] {
            #expect(copy.versionHashesByEntityName == model.versionHashesByEntityName)
            #expect(copy.entities.map(\.name) == model.entities.map(\.name))
        }
        return model.warnings.map(\.description)
    }

    @Test func inversesThatDoNotAgreeAreNone() throws {
        let body = """
            <entity name='A'><relationship name='b' toMany='YES' destinationEntity='B' inverseName='a' inverseEntity='B'/>
                <relationship name='c' maxCount='1' destinationEntity='B' inverseName='a' inverseEntity='B'/>
                <relationship name='d' maxCount='1' destinationEntity='B' inverseName='gone' inverseEntity='Gone'/>
                <relationship name='e' maxCount='1' destinationEntity='B' inverseName='x' inverseEntity='B'/></entity>
            <entity name='B'><attribute name='x' attributeType='String'/>
                <relationship name='a' maxCount='1' destinationEntity='A' inverseName='b' inverseEntity='A'/></entity>
            """
        #expect(
            try warnings(body) == [
                "A.d: its inverse entity “Gone” is no entity of the model",
                "A.c: its inverse B.a has the inverse “b”: it has none",
                "A.d: its inverse B.gone is no relationship: it has none",
                "A.e: its inverse B.x is no relationship: it has none",
            ])
        let model = try read(body)
        #expect(model.entity(named: "A")?.relationshipsByName["c"]?.inverseName == nil)
        #expect(model.entity(named: "A")?.relationshipsByName["b"]?.inverseName == "a")
        // The hash is that of the file, which names the inverse.
        #expect(
            RelationshipDescription("c", to: "B", inverse: "a", isOptional: false).versionHash
                == model.entity(named: "A")?.relationshipsByName["c"]?.versionHash)
        let text = String(decoding: try ModelContents.encode(model), as: UTF8.self)
        #expect(text.contains("inverseName=\"gone\""))
    }

    @Test func whatLeadsNowhereIsLeftOut() throws {
        #expect(
            try warnings(
                """
                <entity name='A' parentEntity='Gone'><relationship name='r' destinationEntity='' maxCount='1'/>
                    <relationship name='s' destinationEntity='Gone' maxCount='1' deletionRule='Perish'/>
                    <attribute name='x' attributeType='String' regularExpressionString='' elementID='' versionHashModifier=''/>
                    <fetchedProperty name='f'/>
                    <fetchIndex name='i'><fetchIndexElement property='gone'/></fetchIndex>
                    <compoundIndexes><compoundIndex><index value='gone'/></compoundIndex></compoundIndexes>
                    <uniquenessConstraints><uniquenessConstraint><constraint value='gone'/></uniquenessConstraint></uniquenessConstraints>
                </entity>
                <configuration name='C'><memberEntity name='A'/><memberEntity name='Gone'/></configuration>
                <fetchRequest name='q' entity='Gone'/>
                """) == [
                    "A.s: the delete rule “Perish” is not known: Nullify is taken",
                    "A: its parent “Gone” is no entity of the model: the entity has none",
                    "A.r: it has no destination: the relationship is left out",
                    "A.s: its destination “Gone” is no entity of the model: the relationship is left out",
                    "A.f: its fetch request is for “”, which is no entity of the model: it is left out",
                    "A: a uniqueness constraint names what can't be unique: gone: it is left out",
                    "A: the index “i” names an unknown property: it is left out",
                    "A: a compound index names an unknown property: gone: it is left out",
                    "Gone: the configuration “C” names an unknown entity",
                    "the fetch request “q” is for “Gone”, which is no entity of the model: it is left out",
                ])
    }

    @Test func boundsThatCanNotHoldAreNone() throws {
        #expect(
            try warnings(
                """
                <entity name='A'><attribute name='a' attributeType='Integer 16' minValueString='9' maxValueString='1'/>
                    <attribute name='b' attributeType='Boolean' minValueString='1'/>
                    <attribute name='c' attributeType='Date' regularExpressionString='x' allowsExternalBinaryDataStorage='YES'/>
                    <attribute name='d' attributeType='String' derived='YES'/>
                    <relationship name='r' toMany='YES' destinationEntity='A' minCount='3' maxCount='2'/></entity>
                """) == [
                    "A.d: a derived attribute without an expression: it is an attribute like others",
                    "A.a: the smallest value is greater than the greatest: there are no bounds",
                    "A.b: the smallest value is no bound for type Boolean: there is none",
                    "A.c: only strings can have a pattern: there is none",
                    "A.c: only binary and transformable values can be kept in files of their own",
                    "A.r: its smallest count is greater than its greatest, which is taken",
                ])
    }

    @Test func modelsFromFilesAndTextKeepTheirWarnings() throws {
        let text =
            "<model><entity name='A'><attribute name='x' attributeType='Boolean' defaultValueString='?'/></entity></model>"
        #expect(try ManagedObjectModel(xcdatamodelText: text).warnings.count == 1)
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).xml")
        try Data(text.utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        #expect(try ManagedObjectModel(contentsOf: url).warnings.map(\.property) == ["x"])
    }

    @Test func modelsOfProgramsAreCheckedStrictly() {
        #expect(throws: ModelError.self) {
            try ManagedObjectModel(entities: [
                EntityDefinition("A", attributes: [.init("x", .boolean, defaultValue: .int(0))])
            ])
        }
    }
}
