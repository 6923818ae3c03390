internal import DocumentFiles
internal import Foundation
internal import ObjectGraph
internal import Schema
internal import Storage

/// Merges another document into an open one: plans it off the owner, tries it, and makes it as one
/// group of undo.
struct DocumentMerger {
    let document: OpenDocument
    let saver: DocumentSaver

    private var context: ManagedObjectContext { document.context }
    /// More failures of validation are not told one by one.
    private static let greatestFailureCount = 200

    func merge(
        _ url: URL, base: DocumentMerge.Base, deciding decisions: DocumentMerge.Decisions, model: ModelChoice
    ) async throws -> DocumentMerge.Report {
        try await commitEdits()
        let place = MergePlace(url), state = try document.openedState()
        if place.path == state.path, place.state == .newest {
            throw DocumentError(.usage, "a document is not merged with itself", path: state.path)
        }
        var request = PlannedMerge.Request(
            theirs: place, base: base, decisions: decisions, model: model, folder: try document.mergeScratch())
        let refuses = decisions.undecided == .refuse || state.marker == nil
        var violations: [DocumentMerge.Conflict] = []
        while true {
            let plan = try await document.performInBackground { [request] session in
                try DocumentError.stage(.reading, session.path) { try PlannedMerge(session, request) }
            }
            var report = report(of: plan, violations)
            if refuses, !report.undecided.isEmpty { return report }
            let failures = try attempt(plan)
            guard !failures.isEmpty else {
                try await make(plan, report)
                report.isApplied = true
                return report
            }
            let found = failures.compactMap { conflict($0, decisions) }.filter { conflict in
                !violations.contains { $0.name == conflict.name && $0.message == conflict.message }
            }
            violations += found
            report.conflicts += found
            // Only what theirs did can be left out.
            let canGiveWay = found.allSatisfy { $0.choice == .ours || $0.choice == nil && !refuses }
            guard canGiveWay, withhold(found, plan, &request) else { return report }
        }
    }

    /// Leaves out what theirs did to the objects that violate a rule; where that was tried, all of
    /// its deletions.
    /// - Returns: Whether anything more is left out.
    private func withhold(
        _ conflicts: [DocumentMerge.Conflict], _ plan: PlannedMerge, _ request: inout PlannedMerge.Request
    ) -> Bool {
        let before = request.withheld.count
        request.withheld.formUnion(conflicts.map(\.object))
        if conflicts.isEmpty || request.withheld.count == before {
            request.withheld.formUnion(plan.outcome.deletions.map { plan.names.label($0) })
        }
        return request.withheld.count > before
    }

    /// What is not committed is not seen by a comparison of stores.
    private func commitEdits() async throws {
        let state = try document.openedState()
        context.processPendingChanges()
        if !document.edits.isCommitted(at: context.editPosition) {
            guard state.isEditing, state.marker != nil else {
                throw DocumentError(
                    .unsavedChanges, "it has unsaved changes, which a merge can't take into account", path: state.path,
                    hint: "save it first")
            }
            try await saver.autosave()
        }
        guard document.state.pendingUniqueValues.isEmpty else {
            throw DocumentError(
                .unsavedChanges, "objects in it violate uniqueness constraints", path: state.path,
                hint: "change one of them and save first")
        }
    }

    // MARK: Trying

    /// What would be invalid. Where nothing would be and the context has neither changes nor undo,
    /// the merge is made in it.
    private func attempt(_ plan: PlannedMerge) throws -> [ValidationError.Failure] {
        if plan.outcome.isEmpty { return [] }
        let isOwn = makesInPlace
        let trial = isOwn ? context : ManagedObjectContext(context.persistentStoreCoordinator)
        do {
            var applier = MergeApplier(plan, trial)
            try applier.apply()
            let failures = try trial.validationFailures(limit: Self.greatestFailureCount)
            if isOwn, !failures.isEmpty { context.rollback() }
            return failures
        } catch {
            if isOwn { context.rollback() }
            throw error
        }
    }

    private var makesInPlace: Bool { context.undoManager == nil && !context.hasChanges }

    private func conflict(_ failure: ValidationError.Failure, _ decisions: DocumentMerge.Decisions)
        -> DocumentMerge.Conflict?
    {
        guard let id = failure.object else { return nil }
        let object = "\(id.entity.name)/p\(id.key)"
        return DocumentMerge.Conflict(
            kind: failure.code == .constraint ? .unique : .rule, object: object, property: failure.key, base: .null,
            ours: failure.value ?? .null, theirs: .null, message: failure.message,
            choice: decisions.choice(DocumentMerge.Conflict.name(object, failure.key)))
    }

    // MARK: Making

    private func make(_ plan: PlannedMerge, _ report: DocumentMerge.Report) async throws {
        let before = try await document.readMergeMemory()
        var memory = before
        memory.notes += plan.notes
        let undecided = report.undecided.map { KeptConflict($0) }
        memory.conflicts.removeAll { old in undecided.contains { $0.name == old.name } }
        memory.conflicts += undecided
        let undo = context.undoManager, isMade = makesInPlace || plan.outcome.isEmpty || undo == nil
        // Without undo the trial has made it already.
        guard undo != nil || !isMade else {
            if memory != before { document.setMergeMemory(memory, from: before) }
            if plan.outcome.isEmpty, memory != before { document.noteChange() }
            return
        }
        undo?.beginUndoGrouping()
        do {
            if !plan.outcome.isEmpty {
                var applier = MergeApplier(plan, context)
                try applier.apply()
            }
            if memory != before { document.setMergeMemory(memory, from: before) }
            undo?.endUndoGrouping()
        } catch {
            undo?.endUndoGrouping()
            undo?.undo()
            throw error
        }
        if plan.outcome.isEmpty, memory != before { document.noteChange() }
    }

    // MARK: Report

    private func report(of plan: PlannedMerge, _ violations: [DocumentMerge.Conflict]) -> DocumentMerge.Report {
        let outcome = plan.outcome, names = plan.names
        var report = DocumentMerge.Report()
        report.base = plan.baseName
        report.isOtherDocument = plan.isOtherDocument
        report.notes = plan.notes
        for name in outcome.insertions.keys { report.inserted[name.entity, default: 0] += 1 }
        let changed = Set(outcome.values.map(\.object)).union(outcome.members.map(\.owner))
        for name in changed where outcome.insertions[name] == nil { report.changed[name.entity, default: 0] += 1 }
        for name in outcome.deletions { report.deleted[name.entity, default: 0] += 1 }
        report.renumbered = names.renumbered(outcome.insertions.keys.filter { $0.origin == .theirs })
        report.united = outcome.united.sorted { $0.key < $1.key }.map {
            ("\($0.key.entity)/p\(abs($0.key.number))", names.label($0.value))
        }
        report.conflicts =
            outcome.conflicts.map { record in
                DocumentMerge.Conflict(
                    kind: record.kind, object: names.label(record.object), property: record.property,
                    base: names.value(record.base), ours: names.value(record.ours), theirs: names.value(record.theirs),
                    others: record.others.map(names.label), message: record.message, choice: record.choice)
            } + violations
        return report
    }
}
