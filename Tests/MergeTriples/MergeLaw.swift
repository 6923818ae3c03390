import Merging
internal import DocumentFiles
internal import DocumentKit
internal import Foundation
internal import ObjectGraph
internal import Schema

/// The laws of merging: what holds whatever the three documents are.
package enum MergeLaw: String, CaseIterable, Sendable {
    /// What one side alone has changed is taken: `merge(O, O, B)` is B, `merge(O, A, O)` and
    /// `merge(O, A, A)` are A.
    case identity
    /// Each property is what the rules say, nothing new is lost, and the result is sound.
    case union
    /// Merging what was merged changes nothing.
    case again
    /// Ours and theirs exchanged give the same graph up to numbers.
    case exchange
    /// A merge with conflicts that is refused changes nothing.
    case refusal
    /// Edits of three people that have nothing to do with each other give the same in any order.
    case order

    /// Whether the law says something of a triple.
    package func applies(to triple: MergeTriple) -> Bool {
        switch self {
        // A store by itself notes no merge.
        case .again: triple.form == .package || triple.form == .archive
        case .order: triple.source == .disjoint
        default: true
        }
    }

    /// What violates the law; empty if nothing does.
    /// - Throws: What the merges throw, which is a violation too.
    package func objections(_ triple: MergeTriple) async throws -> [String] {
        switch self {
        case .identity: try await Self.identity(triple)
        case .union: try await Self.union(triple)
        case .again: try await Self.again(triple)
        case .exchange: try await Self.exchange(triple)
        case .refusal: try await Self.refusal(triple)
        case .order: try await Self.order(triple)
        }
    }

    private static func identity(_ triple: MergeTriple) async throws -> [String] {
        var found: [String] = []
        for url in [triple.base, triple.ours, triple.theirs] {
            found += try await triple.world(url).objections(triple.model).map { "before a merge: \($0)" }
        }
        let theirs = try await triple.world(triple.theirs)
        let taken = try await triple.merged(triple.base, triple.theirs)
        if taken.world != theirs { found.append("taken: \(taken.world.differences(theirs))") }
        if !taken.report.conflicts.isEmpty { found.append("taken with conflicts \(names(taken))") }
        let left = try await triple.merged(triple.theirs, triple.base)
        if left.world != theirs || !left.report.isEmpty { found.append("left: \(left.world.differences(theirs))") }
        let copy = triple.url("copy")
        try triple.copy(triple.theirs, to: copy)
        let same = try await triple.merged(triple.theirs, copy)
        if same.world != theirs || !same.report.isEmpty { found.append("same: \(same.world.differences(theirs))") }
        return found
    }

    private static func names(_ merged: MergeTriple.Merged) -> [String] { merged.report.conflicts.map(\.name) }

    private static func union(_ triple: MergeTriple) async throws -> [String] {
        let base = try await triple.world(triple.base), ours = try await triple.world(triple.ours),
            theirs = try await triple.world(triple.theirs)
        let merged = try await triple.bothMerged(), result = merged.world
        guard merged.report.isApplied else {
            return merged.report.conflicts.map {
                "not applied, though decided: \($0.kind) \($0.name) \($0.message ?? "")"
            }
        }
        var found = result.objections(triple.model) + (try triple.findings(merged.url))
        guard merged.report.conflicts.isEmpty else { return found + untouched(base, ours, theirs, merged) }
        for (name, values) in base.objects where ours.objects[name] != nil && theirs.objects[name] != nil {
            guard let kept = result.objects[name] else {
                found.append("\(name) is gone")
                continue
            }
            let entity = triple.model.entity(named: name.entity)
            for property in values.keys.sorted() {
                let rule = entity?.property(named: property)?.attribute?.userInfo["folio.merge"]
                guard let expected = PlainWorld.expected(base, ours, theirs, name, property, rule: rule),
                    expected.names.allSatisfy({ base.objects[$0] != nil && result.objects[$0] != nil })
                else { continue }
                // Where ordered members come from one side alone, deletions of the other have their
                // part in it.
                if case .sequence = expected { continue }
                if kept[property] != expected {
                    found.append("\(name).\(property) is \(kept[property] ?? .null), not \(expected)")
                }
            }
        }
        func added(_ world: PlainWorld) -> Int { world.objects.keys.filter { base.objects[$0] == nil }.count }
        let expected = added(ours) + added(theirs) - merged.report.united.count
        if added(result) != expected { found.append("\(added(result)) new objects, not \(expected)") }
        for name in base.objects.keys where result.objects[name] != nil {
            if ours.objects[name] == nil || theirs.objects[name] == nil { found.append("\(name) is not deleted") }
        }
        return found
    }

    /// With conflicts: attributes that neither side has changed are what they were.
    private static func untouched(
        _ base: PlainWorld, _ ours: PlainWorld, _ theirs: PlainWorld, _ merged: MergeTriple.Merged
    ) -> [String] {
        let decided = Set(merged.report.conflicts.flatMap { [$0.name, $0.object] })
        return base.objects.flatMap { name, values -> [String] in
            guard let kept = merged.world.objects[name], !decided.contains("\(name)") else { return [] }
            return values.compactMap { property, value in
                guard value.names.isEmpty, ours.objects[name]?[property] == value,
                    theirs.objects[name]?[property] == value, kept[property] != value,
                    kept[property]?.names.isEmpty != false
                else { return nil }
                return "\(name).\(property) is \(kept[property] ?? .null), not \(value)"
            }
        }
    }

    private static func again(_ triple: MergeTriple) async throws -> [String] {
        let once = try await triple.bothMerged(), copy = triple.url("again")
        try triple.copy(once.url, to: copy)
        let document = try await PersistentDocument.open(copy, model: triple.model)
        var found: [String] = []
        do {
            let again = try await document.merge(triple.theirs)
            if !again.isApplied || !again.isEmpty || !again.conflicts.isEmpty { found.append("merged again: \(again)") }
            if document.hasUnsavedChanges { found.append("unsaved changes after merging again") }
            try await document.close(.discard)
        } catch {
            try? await document.close(discardingUnsavedWork: true)
            throw error
        }
        return found
    }

    private static func exchange(_ triple: MergeTriple) async throws -> [String] {
        let there = try await triple.bothMerged(), back = try await triple.merged(triple.theirs, triple.ours)
        let conflicts = (there.report.conflicts.count, back.report.conflicts.count)
        if (conflicts.0 == 0) != (conflicts.1 == 0) {
            return ["conflicts \(names(there)), and \(names(back)) exchanged"]
        }
        // What is left out because of a conflict may bring others with it.
        guard conflicts.0 == 0 else { return back.world.objections(triple.model) }
        // A side that always decides is another one when they are exchanged.
        let sided = triple.model.entities.contains { entity in
            entity.properties.contains { ["ours", "theirs"].contains($0.attribute?.userInfo["folio.merge"]) }
        }
        if sided { return back.world.objections(triple.model) }
        return there.world.shape() == back.world.shape()
            ? [] : ["exchanged: \(there.world.differences(back.world))"]
    }

    private static func refusal(_ triple: MergeTriple) async throws -> [String] {
        let ours = try await triple.world(triple.ours)
        let merged = try await triple.merged(triple.ours, triple.theirs, .refuse)
        if merged.report.isApplied != merged.report.conflicts.isEmpty { return ["applied with \(names(merged))"] }
        return merged.report.isApplied || merged.world == ours ? [] : ["refused: \(merged.world.differences(ours))"]
    }

    private static func order(_ triple: MergeTriple) async throws -> [String] {
        var first: PlainWorld?, found: [String] = []
        for order in [
            [triple.ours, triple.theirs, triple.third], [triple.third, triple.ours, triple.theirs],
            [triple.theirs, triple.third, triple.ours],
        ] {
            var url = order[0]
            for next in order.dropFirst() {
                let merged = try await triple.merged(url, next, .refuse)
                if !merged.report.conflicts.isEmpty { found.append("disjoint edits with conflicts \(names(merged))") }
                url = merged.url
            }
            let world = try await triple.world(url)
            found += world.objections(triple.model)
            if let first, first.shape() != world.shape() { found.append("in order: \(first.differences(world))") }
            first = first ?? world
        }
        return found
    }
}
