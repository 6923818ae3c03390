internal import Merging
internal import ObjectGraph
internal import Schema

/// What becomes of a merge whose result would violate rules of the model.
extension DocumentMerger {
    /// More failures of validation are not told one by one.
    static let greatestFailureCount = 200

    /// The conflicts that failures of validation are, without those that are known. The deletion of
    /// an object by theirs that fails is a conflict of its own, unless the decision is to delete
    /// it.
    func violations(
        _ failures: [ValidationError.Failure], _ plan: PlannedMerge, known: [DocumentMerge.Conflict]
    ) -> [DocumentMerge.Conflict] {
        let deleted = Set(plan.outcome.deletions.map(plan.names.label))
        var found: [DocumentMerge.Conflict] = []
        for failure in failures {
            let conflict = conflict(failure)
            if deleted.contains(conflict.object), decisions.choice(conflict.object) != .theirs { continue }
            if !(known + found).contains(where: { $0.name == conflict.name && $0.message == conflict.message }) {
                found.append(conflict)
            }
        }
        return found
    }

    /// Throws the failures that decisions of conflicts are by the values that they give.
    func refuseInvalidValues(_ failures: [ValidationError.Failure], _ conflicts: [DocumentMerge.Conflict])
        throws
    {
        let given = Set(
            conflicts.compactMap { conflict -> String? in
                if case .value? = conflict.choice { conflict.name } else { nil }
            })
        let refused = failures.filter { given.contains(DocumentMerge.Conflict.name($0.label, $0.key)) }
        if !refused.isEmpty { throw ValidationError(refused) }
    }

    private func conflict(_ failure: ValidationError.Failure) -> DocumentMerge.Conflict {
        let object = failure.label
        return DocumentMerge.Conflict(
            kind: failure.code == .constraint ? .unique : .rule, object: object, property: failure.key, base: .null,
            ours: failure.value ?? .null, theirs: .null, message: failure.message,
            choice: decisions.choice(DocumentMerge.Conflict.name(object, failure.key)))
    }

    /// Only what theirs did can be left out.
    func canGiveWay(_ violations: [DocumentMerge.Conflict]) -> Bool {
        violations.allSatisfy { $0.choice == .ours || $0.choice == nil && !refusesConflicts }
    }

    /// Leaves out what theirs did to the objects that violate a rule, and contests its deletions of
    /// them. Where that is done already, it leaves out links between them and others, then it
    /// contests the deletions that concern them, and last all deletions. Each contested deletion is
    /// a conflict of the next plan.
    /// - Returns: Whether anything more is left out.
    func withhold(
        _ found: [DocumentMerge.Conflict], _ failures: [ValidationError.Failure], _ plan: PlannedMerge,
        _ reading: MergeReading, _ withheld: inout MergeReading.Withheld
    ) -> Bool {
        let before = withheld.count, deleted = Set(plan.outcome.deletions.map(plan.names.label))
        for conflict in found where !deleted.contains(conflict.object) {
            withheld.changes.insert(conflict.object)
            if conflict.choice == nil { withheld.undecided.insert(conflict.object) }
        }
        let failing = Set(failures.map(\.label))
        withheld.deletions.formUnion(failing.intersection(deleted))
        if withheld.count == before { withheld.links.formUnion(failing.subtracting(deleted)) }
        if withheld.count == before {
            withheld.deletions.formUnion(reading.deletions(of: plan, concerning: failing))
        }
        if withheld.count == before { withheld.deletions.formUnion(deleted) }
        return withheld.count > before
    }
}

extension ValidationError.Failure {
    /// The object as `Book/p7`.
    fileprivate var label: String { object.map { "\($0.entity.name)/p\($0.key)" } ?? entity ?? "" }
}
