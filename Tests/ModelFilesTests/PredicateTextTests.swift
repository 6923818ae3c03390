import Coding
import Foundation
import ModelFiles
import Schema
import Testing

struct PredicateTextTests {
    /// The text that the archived predicate of a fetch request renders as, nil where it was not
    /// archived.
    private func archived(_ text: String) throws -> String? {
        var description = ManagedObjectModel.Definition()
        description.entities = [EntityDefinition("A")]
        description.fetchRequestTemplates = [FetchRequestTemplate("t", entityName: "A", predicateFormat: text)]
        let model = try ManagedObjectModel(description)
        let archive = try CompiledModel.encode(model)
        // Whatever becomes of the archived form, the text is what it was.
        #expect(try CompiledModel.decode(archive) == model)
        let template = try KeyedArchive(archive).root().object("NSFetchRequestTemplates")?.namedEntries()?.first?.value
        return try template?.object("NSPredicate").map { try PredicateText().predicate($0) }
    }

    @Test(arguments: [
        "a == 1", "a.b != $x.y", "name CONTAINS[cd] \"q\\\"\\\\\"", "a < -1.5 AND b >= 2",
        "(a == 1 OR b == 2) AND NOT c == nil", "ANY list.#size IN {1, 2}",
        "ALL list.name BEGINSWITH[c] \"x\"", "SELF MATCHES \"[a-z]*\"", "a BETWEEN {1, 5}", "flag == YES",
        "TRUEPREDICATE", "items.@count > 3", "name == lowercase($x)",
        "a LIKE \"*b?\" OR a ENDSWITH \"z\" OR a == b", "#first == 1",
    ])
    func whatIsArchivedRendersAsItWas(text: String) throws {
        #expect(try archived(text) == text)
    }

    @Test func otherSpellingsMeanTheSame() throws {
        #expect(try archived("a = 1 && !(b <> 'x') || c => 2") == "(a == 1 AND NOT b != \"x\") OR c >= 2")
        #expect(try archived("some x.y in {}") == "ANY x.y IN {}")
    }

    @Test(arguments: ["a ==", "((a == 1)", "SUBQUERY(items, $x, $x.a == 1).@count > 0", "a ? b", "\"open", "%K == 1"])
    func textBeyondModelsIsKeptWithoutAnArchivedForm(text: String) throws {
        #expect(try archived(text) == nil)
    }

    @Test func nestingIsBounded() throws {
        #expect(
            try archived(String(repeating: "(", count: 5000) + "a == 1" + String(repeating: ")", count: 5000)) == nil)
        #expect(try archived(String(repeating: "NOT ", count: 5000) + "a == 1") == nil)
    }
}
