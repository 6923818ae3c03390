import Foundation
import ModelFiles
import Schema
import Testing

struct ModelContentsTests {
    private func read(_ body: String) throws -> ManagedObjectModel {
        try ModelContents.decode(
            Data("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<model>\(body)</model>".utf8),
            path: "m/contents")
    }

    private func faults(_ body: String) -> [String] {
        do {
            _ = try read(body)
            return []
        } catch {
            return (error as? ModelError)?.faults.map(\.description) ?? ["\(error)"]
        }
    }

    @Test func aModelWithEverythingComesBack() throws {
        let model = try SampleModels.everything()
        let text = try ModelContents.encode(model)
        let copy = try ModelContents.decode(text)
        #expect(copy == model)
        #expect(copy.definition == model.definition)
        #expect(try ModelContents.encode(copy) == text)
    }

    @Test func theOrderOfTheFileHasNoMeaning() throws {
        let first = try read(
            "<entity name='A'><attribute name='x' attributeType='Date'/><attribute name='y' attributeType='Date'/></entity><entity name='B'/>"
        )
        let second = try read(
            "<entity name='B'/><entity name='A'><attribute attributeType='Date' name='y'/><attribute name='x' attributeType='Date'/></entity>"
        )
        #expect(first == second)
        #expect(try ModelContents.encode(first) == ModelContents.encode(second))
    }

    @Test func absentMeansMandatoryUndefinedAndToOne() throws {
        let model = try read(
            """
            <entity name="A" representedClassName="NSManagedObject" elementID="Z">
                <attribute name="t" transient="YES"/><attribute name="s" attributeType="String" defaultValueString=""/>
                <attribute name="n" attributeType="Integer 16" defaultValueString="" optional="true"/>
                <attribute name="d" attributeType="Date" defaultDateTimeInterval="12.5" defaultValueString="2001-01-01 00:00:00 +0000" minValueString="2001-01-01 01:00"/>
                <relationship name="one" maxCount="1" minCount="1" destinationEntity="A"/>
                <relationship name="many" toMany="YES" destinationEntity="A" deletionRule="No Action" ordered="YES"/>
            </entity>
            """)
        let entity = try #require(model.entity(named: "A"))
        #expect(entity.managedObjectClassName == nil)
        #expect(entity.definition.renamingIdentifier == "Z")
        let attributes = entity.attributesByName
        #expect(attributes["t"]?.type == .undefined)
        #expect(attributes["t"]?.isOptional == false)
        #expect(attributes["s"]?.defaultValue == .string(""))
        #expect(attributes["n"]?.defaultValue == nil)
        #expect(attributes["n"]?.isOptional == true)
        #expect(attributes["d"]?.defaultValue == .date(Date(timeIntervalSinceReferenceDate: 12.5)))
        #expect(attributes["d"]?.minimumValue == .date(Date(timeIntervalSinceReferenceDate: 3600)))
        #expect(entity.relationshipsByName["one"]?.isToMany == false)
        #expect(entity.relationshipsByName["many"]?.maxCount == 0)
        #expect(entity.relationshipsByName["many"]?.deleteRule == .noAction)
    }

    @Test func whatNobodyUnderstandsIsKept() throws {
        let model = try read(
            "<entity name='A' novel='1'><attribute name='a' attributeType='Transformable' defaultValueString='?' future='x &amp; y'/></entity><elements><element name='A' positionX='3'/></elements>"
        )
        let copy = try ModelContents.decode(try ModelContents.encode(model))
        #expect(copy.entity(named: "A")?.definition.extraMarkup == ["novel": "1"])
        #expect(copy.entity(named: "A")?.attributes[0].extraMarkup == ["future": "x & y", "defaultValueString": "?"])
        #expect(copy.definition.diagram == [["name": "A", "positionX": "3"]])
    }
}

extension ModelContentsTests {
    @Test func everyFaultIsNamedAtOnce() {
        let found = faults(
            """
            <entity name="A" parentEntity="B">
                <attribute name="a" attributeType="Strnig"/><attribute name="n n" attributeType="Integer 16"/>
                <attribute name="x" attributeType="String"/><attribute name="x" attributeType="Date"/>
                <attribute name="c" attributeType="Composite" composite="Nothing"/>
            </entity>
            <entity name="B" parentEntity="A"/>
            """)
        for part in [
            "A.a: the attribute type “Strnig”", "A.n n: “n n” is no legal name", "A.x: there are two properties",
            "A.c: there is no composite “Nothing”", "A: it is its own ancestor",
        ] {
            #expect(found.contains { $0.hasPrefix(part) }, "\(part) in \(found)")
        }
    }

    @Test func hostileFilesAreRefused() {
        for text in [
            "", "text", "<entity/>", "<!DOCTYPE model [<!ENTITY a 'b'>]><model><entity name='&a;'/></model>",
            "<!DOCTYPE model [<!ENTITY a SYSTEM 'file:///etc/passwd'>]><model/>",
            String(repeating: "<model>", count: 100_000),
        ] {
            let error = #expect(throws: ModelError.self) { try ModelContents.decode(Data(text.utf8)) }
            #expect(error?.code == .unreadable)
        }
    }
}
