package import Coding
package import Folio
import Foundation

/// The results and the conflicts of merges as JSON.
package struct MergeJSON {
    private let path: String
    /// The paths as the caller named them.
    private let operands: [String]

    package init(path: String, operands: [String] = []) {
        self.path = path
        self.operands = operands
    }

    /// A state as the caller names it: `Notes.folio@3`.
    private func named(_ state: String) -> String {
        for operand in operands {
            let whole = URL(fileURLWithPath: operand).path
            if state == whole || state.hasPrefix(whole + "@") { return operand + state.dropFirst(whole.count) }
        }
        return state
    }

    package func report(_ report: DocumentMerge.Report, isDryRun: Bool) -> JSONValue {
        func counts(_ objects: [String: Int]) -> JSONValue { .object(objects.mapValues { .int($0) }) }
        func pairs(_ objects: [(theirs: String, ours: String)]) -> JSONValue {
            .array(objects.map { .object(["ours": .string($0.ours), "theirs": .string($0.theirs)]) })
        }
        return .object([
            "applied": .bool(report.isApplied),
            "base": report.bases.isEmpty ? .null : .string(report.bases.map(named).joined(separator: " + ")),
            "carried": .array(report.carried.map(Self.conflict)), "changed": counts(report.changed),
            "conflicts": .array(report.conflicts.map(Self.conflict)),
            "deleted": counts(report.deleted), "dryRun": .bool(isDryRun), "inserted": counts(report.inserted),
            "otherDocument": .bool(report.isOtherDocument), "path": .string(path),
            "renumbered": pairs(report.renumbered), "united": pairs(report.united),
            "unsavedWork": .bool(report.includesUnsavedWork),
        ])
    }

    package static func conflict(_ conflict: DocumentMerge.Conflict) -> JSONValue {
        func value(_ value: PropertyValue) -> JSONValue {
            let sink = ByteSink(descriptor: nil)
            var writer = JSONWriter(sink, style: .compact)
            writer.property(value)
            return (try? JSONReader.value(of: sink.text)) ?? .null
        }
        let choice: JSONValue =
            switch conflict.choice {
            case nil: .null
            case .ours: .string("ours")
            case .theirs: .string("theirs")
            case .value: .string("value")
            }
        var members: [String: JSONValue] = [
            "base": value(conflict.base), "choice": choice, "kind": .string(conflict.kind.rawValue),
            "message": conflict.message.map { .string($0) } ?? .null, "object": .string(conflict.object),
            "others": .strings(conflict.others), "ours": value(conflict.ours),
            "property": conflict.property.map { .string($0) } ?? .null, "theirs": value(conflict.theirs),
        ]
        if case .value(let chosen)? = conflict.choice { members["value"] = value(chosen) }
        return .object(members)
    }
}
