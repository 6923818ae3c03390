internal import Merging
internal import DocumentFiles
internal import Foundation
internal import ObjectGraph
internal import Schema
internal import Storage

/// Merges another document into an open one: plans the merge off the owner, tries it, and makes it
/// as one group of undo.
struct DocumentMerger {
    let document: OpenDocument
    let saver: DocumentSaver
    let decisions: DocumentMerge.Decisions

    var context: ManagedObjectContext { document.context }
    /// How often the states are read again because the document was edited meanwhile.
    private static let greatestReadingCount = 16
    /// How often a merge is decided again because the result would violate a rule of the model.
    private static let greatestPlanCount = 64

    /// Whether a merge with conflicts that nothing decides is refused. A bare store has no room for
    /// a list of conflicts.
    var refusesConflicts: Bool {
        decisions.undecided == .refuse || document.state.marker == nil && !decisions.returnsConflictList
    }

    func merge(_ url: URL, base: DocumentMerge.Base, model: ModelChoice) async throws -> DocumentMerge.Report {
        let place = MergePlace(url), state = try document.openedState()
        if place.path == state.path, place.state == .newest {
            throw DocumentError(.usage, "a document is not merged with itself", path: state.path)
        }
        if case .value? = decisions.policy {
            throw DocumentError(.usage, "a value decides single conflicts, not all of them", path: state.path)
        }
        let folder = try document.mergeScratch()
        for _ in 0..<Self.greatestReadingCount {
            try await commitEdits()
            var memory = try await document.readMergeMemory()
            // A list that can't be read counts as none.
            if let list = decisions.formerConflictList { memory.conflicts = (try? KeptConflicts.decoded(list)) ?? [] }
            context.processPendingChanges()
            // What is edited from here on is not in the plan.
            let position = context.edits.position
            guard document.edits.isCommitted(at: position) else { continue }
            let reading = try await document.performInBackground { [decisions] session in
                try DocumentError.stage(.reading, session.path) {
                    try MergeReading(
                        MergeTarget(session), place, base, model, folder: folder, isRepeating: decisions.repeatsMerges)
                }
            }
            defer { reading.close() }
            if let report = try await merge(reading, memory, at: position) { return report }
        }
        throw DocumentError(
            .unsavedChanges, "it was edited each time that the merge was planned", path: document.path,
            hint: "merge it while it is not edited")
    }

    /// What is not committed is not seen by a comparison of stores.
    private func commitEdits() async throws {
        let state = try document.openedState()
        context.processPendingChanges()
        if !document.edits.isCommitted(at: context.edits.position) {
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

    /// Decides the merge, and makes it if nothing prevents that.
    /// - Returns: Nil if the document was edited meanwhile.
    private func merge(_ reading: MergeReading, _ memory: MergeMemory, at position: EditPosition?) async throws
        -> DocumentMerge.Report?
    {
        let refuses = refusesConflicts
        var withheld = MergeReading.Withheld(), violations: [DocumentMerge.Conflict] = []
        for _ in 0..<Self.greatestPlanCount {
            let plan = try await document.performInBackground { [decisions, withheld] session in
                try DocumentError.stage(.reading, session.path) {
                    try reading.plan(decisions, without: withheld, refusesConflicts: refuses)
                }
            }
            var report = DocumentMerge.Report(plan, violations)
            try refuseValues(report.conflicts)
            if refuses, !report.undecided.isEmpty { return report }
            let next = try memory.adding(
                plan, report.undecided, hasFiles: !decisions.returnsConflictList)
            context.processPendingChanges()
            guard context.edits.position == position, try isFree(plan.names) else { return nil }
            switch try attempt(plan) {
            case .made: note(next, instead: memory, isAlone: false)
            case .valid: try make(plan, next, instead: memory)
            case .invalid(let failures):
                try refuseInvalidValues(failures, report.conflicts)
                let found = self.violations(failures, plan, known: violations)
                violations += found
                report.conflicts += found
                try refuseValues(found)
                guard canGiveWay(found), withhold(found, failures, plan, reading, &withheld) else { return report }
                continue
            }
            report.isApplied = true
            if decisions.returnsConflictList { report.conflictList = try KeptConflicts.encoded(next.conflicts) }
            return report
        }
        throw DocumentError(
            .unsupported, "the merged document would violate rules of the model in too many places",
            path: document.path, hint: "mend one of the two first, or decide conflicts one by one")
    }

    /// Whether nobody got the keys that new objects get by the merge. In a bare store, to which
    /// others may write, that is found out by the save.
    private func isFree(_ names: MergedNames) throws -> Bool {
        try !holdsKeys || names.areFree(in: document.state.store)
    }

    private var holdsKeys: Bool { document.state.marker != nil && document.state.isEditing }

    private func refuseValues(_ conflicts: [DocumentMerge.Conflict]) throws {
        for conflict in conflicts {
            guard case .value? = conflict.choice, let objection = conflict.objectionToValue(document.state.model)
            else { continue }
            throw DocumentError(.usage, objection, path: document.path)
        }
    }

    // MARK: Making

    /// What came of trying a merge.
    private enum Attempt {
        /// The context has it.
        case made
        /// It can be made.
        case valid
        case invalid([ValidationError.Failure])
    }

    /// Tries a merge: in the document's context if that has neither changes nor undo, so that what
    /// is valid is made already, or else in one of its own.
    private func attempt(_ plan: PlannedMerge) throws -> Attempt {
        if plan.outcome.isEmpty { return .valid }
        let isOwn = context.undoManager == nil && !context.hasChanges
        let trial = isOwn ? context : ManagedObjectContext(context.persistentStoreCoordinator)
        do {
            var applier = MergeApplier(plan, trial)
            try applier.apply()
            let failures = try trial.saving.validationFailures(limit: Self.greatestFailureCount)
            guard failures.isEmpty else {
                if isOwn { context.rollback() }
                return .invalid(failures)
            }
            // From now on nobody else gets the keys of the new objects.
            if holdsKeys { try plan.names.hold(in: document.state.store) }
            return isOwn ? .made : .valid
        } catch {
            if isOwn { context.rollback() }
            throw error
        }
    }

    private func make(_ plan: PlannedMerge, _ memory: MergeMemory, instead before: MergeMemory) throws {
        try context.edits.asOneStep {
            if !plan.outcome.isEmpty {
                var applier = MergeApplier(plan, context)
                try applier.apply()
            }
            note(memory, instead: before, isAlone: plan.outcome.isEmpty)
        }
    }

    /// - Parameter isAlone: Whether no object changes with it.
    private func note(_ memory: MergeMemory, instead before: MergeMemory, isAlone: Bool) {
        guard memory != before else { return }
        document.setMergeMemory(memory, from: before)
        if isAlone { document.noteChange() }
    }
}
