import CoreData
import Foundation
import Testing

/// What a file sees that imports Foundation and CoreData, as most do.
struct BothImportsTests {
    // Foundation has empty classes of these two names. Calling their initializers finds Core Data's
    // by themselves; only where the type is named it has to be said which is meant.
    typealias NSExpression = CoreData.NSExpression
    typealias NSComparisonPredicate = CoreData.NSComparisonPredicate

    @Test func predicatesAndSortDescriptorsAreFoundationsWithWhatTheyLack() throws {
        let predicate: Foundation.NSPredicate = NSPredicate(format: "name == %@", "Ada")
        let compound: Foundation.NSCompoundPredicate = NSCompoundPredicate(orPredicateWithSubpredicates: [predicate])
        let descriptor: Foundation.NSSortDescriptor = NSSortDescriptor(key: "name", ascending: false)
        #expect(predicate.evaluate(with: ["name": "Ada"]) && compound.evaluate(with: ["name": "Ada"]))
        #expect(descriptor.key == "name" && !descriptor.ascending)
        #expect((descriptor.reversedSortDescriptor as? NSSortDescriptor)?.ascending == true)
        #expect(NSPredicate(value: false).evaluate(with: nil) == false)
        let rows: [[String: Any]] = [["name": "b"], ["name": "a"], ["name": "c"]]
        let sorted = rows.sorted { descriptor.compare($0, to: $1) == .orderedAscending }
        #expect(sorted.compactMap { $0["name"] as? String } == ["c", "b", "a"])
    }

    @Test func expressionsAndComparisonsAreCoreDatas() {
        let comparison: NSComparisonPredicate = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "age"), rightExpression: NSExpression(forConstantValue: 18),
            modifier: .direct, type: .greaterThanOrEqualTo)
        #expect(comparison.evaluate(with: ["age": 20]) && !comparison.evaluate(with: ["age": 2]))
        let undo: UndoManager = UndoManager()
        #expect(!undo.canUndo)
    }

    @Test func transformersAreNamedAsOnApplesPlatforms() {
        final class Reverser: ValueTransformer, @unchecked Sendable {
            override func transformedValue(_ value: Any?) -> Any? {
                (value as? String).map { Data(String($0.reversed()).utf8) }
            }
            override func reverseTransformedValue(_ value: Any?) -> Any? {
                (value as? Data).map { String(String(decoding: $0, as: UTF8.self).reversed()) }
            }
        }
        let name = NSValueTransformerName("Reverser-\(UUID())")
        ValueTransformer.setValueTransformer(Reverser(), forName: name)
        #expect(ValueTransformer(forName: name)?.transformedValue("abc") as? Data == Data("cba".utf8))
        ValueTransformer.setValueTransformer(nil, forName: name)
        #expect(ValueTransformer(forName: name) == nil)
    }
}
