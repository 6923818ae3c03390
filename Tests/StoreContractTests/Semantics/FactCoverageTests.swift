import Foundation
import Testing

/// Every fact of the page *Core Data's behavior* has a test in each of the modules Folio and
/// CoreData, or a note that says what is otherwise there.
struct FactCoverageTests {
    /// The sections whose facts are held here. Migration and documents (M, D) are the affair of
    /// other modules and their tests.
    private static let sections: Set<Character> = ["L", "F", "R", "V", "S", "Q", "P", "U", "B", "C"]

    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The facts of these sections by their numbers, as the page *Core Data's behavior* gives them.
    private static func page() throws -> [String: Substring] {
        let page = root.appendingPathComponent("Sources/Folio/Folio.docc/Maintainers/CoreDataBehavior.md")
        let facts = try String(contentsOf: page, encoding: .utf8).matches(of: #/\n- \*\*([A-Z][0-9]+)\.\*\* (.*)/#)
            .map { (String($0.output.1), $0.output.2) }
        #expect(Set(facts.map(\.0)).count == facts.count)
        return Dictionary(facts.filter { sections.contains($0.0.first ?? " ") }) { first, _ in first }
    }

    private static let behaviors: [Behavior] =
        LifecycleBehaviors.insertions + LifecycleBehaviors.changes + LifecycleBehaviors.deletions
        + FaultingBehaviors.faults + FaultingBehaviors.relationships
        + SavingBehaviors.validations + SavingBehaviors.saves + SavingBehaviors.undos + FetchingBehaviors.requests
        + FetchingBehaviors.results + AttributeBehaviors.all
        + RelationshipBehaviors.kinds + RelationshipBehaviors.rulesOfDeletion + HookBehaviors.awakenings
        + HookBehaviors.saves + HookBehaviors.validations
        + HookBehaviors.faults + PredicateBehaviors.all + PredicateBehaviors.arguments
        + ContextBehaviors.heldObjects + ContextBehaviors.ruled
        + ContextBehaviors.stores + ContextBehaviors.conflicts + NotificationBehaviors.news + UndoBehaviors.undos

    private static func facts(in text: String) -> [String] {
        text.components(separatedBy: CharacterSet.alphanumerics.inverted).filter {
            $0.wholeMatch(of: /[LFRVSQPUBCMD][0-9]{1,2}/) != nil
        }
    }

    /// The facts that names and titles of tests say: of those that import Core Data's names, or of
    /// all others.
    private static func factsOfNames(inCoreData: Bool) throws -> Set<String> {
        let tests = root.appendingPathComponent("Tests")
        var found: Set<String> = []
        let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)).compactMap
        { $0 as? URL }
        for file in files
        where file.pathExtension == "swift" && file.path.contains("/Tests/CoreDataTests/") == inCoreData {
            let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
            for (index, line) in lines.enumerated() where line.contains("@Test") || line.contains("func ") {
                // A comment may stand before it, and the declaration may go on.
                if index > 0, lines[index - 1].contains("//") { found.formUnion(facts(in: String(lines[index - 1]))) }
                let end = lines[index...].firstIndex { $0.contains("{") } ?? index
                for part in lines[index...end] { found.formUnion(facts(in: String(part))) }
            }
        }
        return found
    }

    @Test(arguments: [("Folio", false), ("CoreData", true)])
    func everyFactIsTestedOrHasANote(module: String, inCoreData: Bool) throws {
        var tested = try Self.factsOfNames(inCoreData: inCoreData)
        if !inCoreData { tested.formUnion(Self.behaviors.flatMap { Self.facts(in: $0.facts) }) }
        let page = try Self.page()
        #expect(page.count > 360)
        let missing = page.filter { number, text in
            !tested.contains(number) && !text.contains("*Here: ") && !text.contains("*In \(module): ")
        }.keys.sorted()
        #expect(missing.isEmpty, "\(missing.count) facts without a test or a note: \(missing.joined(separator: " "))")
    }

    @Test func everyBehaviorHasANameAndFactsOfItsOwn() {
        var names: Set<String> = []
        for behavior in Self.behaviors {
            #expect(names.insert("\(behavior)").inserted && !Self.facts(in: behavior.facts).isEmpty, "\(behavior)")
        }
        #expect(Self.behaviors.count >= 400)
    }
}
