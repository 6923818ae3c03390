import Folio
import Foundation
import Testing

/// How values look where a program prints them.
struct ValueDescriptionTests {
    @Test(
        arguments: [
            (.null, ".null"), (.int(3), ".int(3)"), (.bool(true), ".bool(true)"), (.double(1.5), ".double(1.5)"),
            (.float(0.1), ".float(0.1)"), (.decimal(10), ".decimal(10)"),
            (.string("a \"b\"\n"), #".string("a \"b\"\n")"#),
            (.date(Date(timeIntervalSinceReferenceDate: 0.25)), ".date(2001-01-01T00:00:00.250Z)"),
            (.date(Date(timeIntervalSinceReferenceDate: .infinity)), ".date(inf seconds after 2001)"),
            (.data(Data([1, 2])), ".data(2 bytes)"), (.large(LargeValue(Data([1]))), ".large(1 bytes)"),
            (.uri(URL(fileURLWithPath: "/a")), ".uri(file:///a)"),
            (.composite(["b": .null, "a": .int(1)]), ".composite([a: .int(1), b: .null])"),
            (.list([.int(1), .string("x")]), #".list([.int(1), .string("x")])"#),
        ] as [(PropertyValue, String)]) func valuesLookLikeTheCodeThatMakesThem(value: PropertyValue, text: String)
    {
        #expect("\(value)" == text)
        #expect(String(reflecting: value) == text)
        #expect("\(["key": value])" == "[\"key\": \(text)]")
    }

    @Test func entitiesAndPropertiesAreTheirNames() throws {
        let model = try ManagedObjectModel(
            entities: [EntityDefinition("Book", attributes: [.init("title", .string)])])
        #expect("\(model.entities)" == "[Book]")
        #expect("\(model.entities[0].properties)" == "[title]")
    }
}
