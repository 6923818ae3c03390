import Coding
import Folio
import Foundation
import Interchange

/// Merging other documents into open ones.
extension Server {
    /// Merges another document, as one step of undo. Nothing is saved.
    func merge(_ parameters: Parameters) async throws -> JSONValue {
        let served = try served(parameters), document = served.document, url = try url(parameters)
        let base = try DocumentMerge.Base.named(parameters.optionalPath("base"))
        var decisions = DocumentMerge.Decisions()
        decisions.policy = try parameters.choice("decide", ["ours": DocumentMerge.Choice.ours, "theirs": .theirs])
        decisions.undecided =
            try parameters.choice("undecided", ["refuse": DocumentMerge.Decisions.Undecided.refuse, "keep": .keep])
            ?? .refuse
        if let list = parameters.json("decisions") {
            decisions.choices = try DecisionsFile.choices(list, document.model)
        }
        try checkTakesMerges(served)
        let report = try await DocumentMerge.merge(
            url, into: document, base: base, deciding: decisions, fitting: FittingModel.choice(nil))
        return MergeJSON(path: document.url.path).report(report, isDryRun: false)
    }

    /// The conflicts that merges have left.
    func conflicts(_ parameters: Parameters) async throws -> JSONValue {
        .object([
            "conflicts": .array(try await served(parameters).document.undecidedConflicts().map(MergeJSON.conflict))
        ]
        )
    }

    /// Decides a conflict that a merge has left, as one step of undo. Nothing is saved.
    func settle(_ parameters: Parameters) async throws -> JSONValue {
        let served = try served(parameters), document = served.document
        let name = try parameters.string("conflict"), value = parameters.json("value")
        let side = try parameters.choice("choice", ["ours": DocumentMerge.Choice.ours, "theirs": .theirs])
        guard (side == nil) != (value == nil) else {
            throw RPCError(.invalidParams, "a conflict is decided by either the parameter choice or a value")
        }
        try checkTakesMerges(served)
        let known = try await document.undecidedConflicts()
        let conflict = try DocumentMerge.Conflict.named(name, among: known, hint: "merge/conflicts lists them")
        let choice =
            try side
            ?? .value(DecisionsFile.value(value ?? .null, conflict.object, conflict.property, name, document.model))
        try await document.settleConflict(name, choice)
        return .object(["left": .int(known.count - 1), "resolved": .strings([name])])
    }

    /// - Throws: an error for a document that is open for reading, or has a group of undo open.
    private func checkTakesMerges(_ served: ServedDocument) throws {
        try served.checkIsEditable()
        _ = try served.context.closedUndoManager("undo/end")
    }
}
