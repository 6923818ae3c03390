import Coding
import Foundation
import ModelFiles
import Schema
import Testing

/// Compiled models of a few objects that refer to each other so often that the model they describe
/// has no end.
struct HostileModelTests {
    private static func attribute(
        _ name: String, _ type: Int64, _ more: [String: PropertyListValue], _ writer: inout KeyedArchiveWriter
    ) -> KeyedArchiveWriter.Reference {
        var fields = more
        fields["NSPropertyName"] = writer.add(string: name).value
        fields["NSAttributeType"] = .integer(type)
        return writer.add(class: ["NSAttributeDescription", "NSPropertyDescription", "NSObject"], fields: fields)
    }

    private static func model(
        _ entities: Int, _ properties: [KeyedArchiveWriter.Reference], _ writer: inout KeyedArchiveWriter
    ) -> Data {
        let key = writer.add(string: "a")
        let list = writer.add(dictionary: properties.map { (key: key, value: $0) })
        let entity = writer.add(
            class: ["NSEntityDescription", "NSObject"],
            fields: ["NSEntityName": writer.add(string: "E").value, "NSProperties": list.value])
        let table = writer.add(dictionary: (0..<entities).map { _ in (key: key, value: entity) })
        return writer.finish(
            root: writer.add(class: ["NSManagedObjectModel", "NSObject"], fields: ["NSEntities": table.value]))
    }

    private func isRefused(_ archive: Data) {
        let error = #expect(throws: ModelError.self) { try CompiledModel.decode(archive) }
        #expect(error?.code == .unreadable)
    }

    @Test func aPredicateThatHoldsItsPartsTwiceIsRefused() {
        var writer = KeyedArchiveWriter()
        var predicate = writer.add(class: ["NSTruePredicate", "NSPredicate", "NSObject"], fields: [:])
        for _ in 0..<60 {
            let parts = writer.add(array: [predicate, predicate])
            predicate = writer.add(
                class: ["NSCompoundPredicate", "NSPredicate", "NSObject"],
                fields: ["NSCompoundPredicateType": 2, "NSSubpredicates": parts.value])
        }
        let attribute = Self.attribute(
            "a", 700, ["NSValidationPredicates": writer.add(array: [predicate]).value], &writer)
        isRefused(Self.model(1, [attribute], &writer))
    }

    @Test func aPredicateThatRepeatsALongTextIsRefused() {
        var writer = KeyedArchiveWriter()
        let text = writer.add(string: String(repeating: "x", count: 100_000))
        let constant = writer.add(
            class: ["NSConstantValueExpression", "NSExpression", "NSObject"], fields: ["NSConstantValue": text.value])
        let list = writer.add(array: Array(repeating: constant, count: 1000))
        let aggregate = writer.add(
            class: ["NSAggregateExpression", "NSExpression", "NSObject"], fields: ["NSCollection": list.value])
        let oper = writer.add(
            class: ["NSInPredicateOperator", "NSPredicateOperator", "NSObject"], fields: ["NSOperatorType": 10])
        let predicate = writer.add(
            class: ["NSComparisonPredicate", "NSPredicate", "NSObject"],
            fields: [
                "NSLeftExpression": aggregate.value, "NSRightExpression": aggregate.value,
                "NSPredicateOperator": oper.value,
            ])
        let attribute = Self.attribute(
            "a", 700, ["NSValidationPredicates": writer.add(array: [predicate]).value], &writer)
        isRefused(Self.model(1, [attribute], &writer))
    }

    @Test func compositesThatHoldOthersTwiceAreRefused() {
        var writer = KeyedArchiveWriter()
        var elements = writer.add(array: [Self.attribute("z", 700, [:], &writer)])
        for level in 0..<30 {
            let parts = ["x", "y"].map {
                Self.attribute("\($0)\(level)", 2100, ["NSElements": elements.value], &writer)
            }
            elements = writer.add(array: parts)
        }
        isRefused(Self.model(1, [Self.attribute("c", 2100, ["NSElements": elements.value], &writer)], &writer))
    }

    @Test func oneEntityThatIsListedAgainAndAgainIsRefused() {
        var writer = KeyedArchiveWriter()
        let attribute = Self.attribute("a", 700, [:], &writer)
        isRefused(Self.model(2_000, Array(repeating: attribute, count: 2_000), &writer))
    }
}
