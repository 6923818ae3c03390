import Foundation
import Testing

/// Every fact of the page *Core Data's behavior* has a behavior, a test that names it, or a reason
/// why it has neither.
struct FactCoverageTests {
    /// The sections whose facts are held here. Migration and documents (M, D) are the affair of
    /// other modules and their tests.
    private static let sections: Set<Character> = ["L", "F", "R", "V", "S", "Q", "P", "U", "B", "C"]

    /// The numbers of the facts of these sections, as the page *Core Data's behavior* gives them.
    private static func numbers() throws -> [String] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let page = root.appendingPathComponent("Sources/Folio/Folio.docc/Maintainers/CoreDataBehavior.md")
        return try String(contentsOf: page, encoding: .utf8).matches(of: #/\n- \*\*([A-Z][0-9]+)\.\*\* /#).map {
            String($0.output.1)
        }.filter { sections.contains($0.first ?? " ") }
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

    /// Why a fact can't be tested, or does not apply.
    private static let reasons: [String: String] = [
        "L18": "Swift has no accessors by key to override; value(forKey:) reads the model's property",
        "L22":
            "a save never fails for the deprecated name: it stands for the secure transformer, which makes nothing else of the data",
        "L41": "what must not be overridden is final: the compiler refuses it",
        "L49": "a model is immutable: the compiler refuses to change it",
        "L51": "descriptions are structs, and a copy of one is the same value",
        "R16":
            "there is no perform: a context is used where it is owned, and the compiler proves it; processPendingChanges() ends an event",
        "V7": "errors are thrown, never left out: every check runs to its end",
        "V10":
            "attributes have bounds and patterns; other rules are methods of the class (V3), with messages of their own",
        "V12": "as V10: there are no lists of predicates beside their warnings",
        "S5":
            "tokens are asked of the context (queryGenerationToken) and the coordinator (currentPersistentHistoryToken()), not of notifications",
        "S48": "the compiler refuses to send a context or an object elsewhere",
        "Q15": "an order that nobody promises can't be tested",
        "Q22":
            "propertiesToFetch is for rows of values; objects come whole or, without property values, not at all (F6)",
        "Q30": "batches are of objects; rows of values come whole",
        "Q32": "it speaks of costs, not of results",
        "Q36": "fetches off the owner are performBackgroundTask, whose context is the task's own",
        "Q42": "a controller always follows its context; one that shouldn't is a fetch",
        "Q48": "sections and objects of a change are told as one value, not in calls with an order",
        "Q52": "sections are not cached in files",
        "Q55": "a fetch request is a struct, and a copy of it is the same value",
        "P19": "Folio prints the shorter form, which is read alike",
        "P23": "a reserved word without a meaning",
        "P48": "there are no predicates of blocks: closures filter arrays",
        "B22": "no token is no argument of a predicate; nil stands for the beginning",
        "B26": "a practice of applications",
        "B32": "a merge moves a pinned context forward (B28), so the two go together",
        "C20": "a store moves by migratePersistentStore (C14)",
        "C24": incremental, "C25": incremental, "C26": incremental, "C27": incremental, "C28": incremental,
        "C30": "advice",
        "C33": "binary stores have a format of Folio's own and no archived classes",
    ]

    private static let incremental = "the contract of incremental stores is that of their own tests"

    private static func facts(in text: String) -> [String] {
        text.components(separatedBy: CharacterSet.alphanumerics.inverted).filter {
            $0.wholeMatch(of: /[LFRVSQPUBCMD][0-9]{1,2}/) != nil
        }
    }

    /// The facts that names and titles of tests say, wherever they stand.
    private static func factsOfNames() throws -> Set<String> {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        var found: Set<String> = []
        let files = try #require(FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)).compactMap
        { $0 as? URL }
        for file in files where file.pathExtension == "swift" {
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

    @Test func everyFactIsPinnedOrHasAReason() throws {
        let pinned = Set(Self.behaviors.flatMap { Self.facts(in: $0.facts) }).union(try Self.factsOfNames())
        let all = try Self.numbers()
        #expect(all.count > 360 && Set(all).count == all.count)
        let missing = all.filter { !pinned.contains($0) && Self.reasons[$0] == nil }
        #expect(
            missing.isEmpty,
            "\(missing.count) facts without behavior, test or reason: \(missing.joined(separator: " "))")
        let superfluous = Self.reasons.keys.filter { pinned.contains($0) || !all.contains($0) }.sorted()
        #expect(superfluous.isEmpty, "these are tested after all: \(superfluous.joined(separator: " "))")
        print(
            "\(Self.behaviors.count) behaviors on \(StoreKind.allCases.count) kinds of stores; \(pinned.intersection(all).count) of \(all.count) facts are pinned, \(Self.reasons.count) have a reason"
        )
    }

    @Test func everyBehaviorHasANameAndFactsOfItsOwn() {
        var names: Set<String> = []
        for behavior in Self.behaviors {
            #expect(names.insert("\(behavior)").inserted && !Self.facts(in: behavior.facts).isEmpty, "\(behavior)")
        }
        #expect(Self.behaviors.count >= 400)
    }
}
