public import Merging
internal import DocumentFiles
public import Foundation
internal import ObjectGraph
internal import Schema
internal import Storage

extension PersistentDocument {
    /// Merges another document into this one, object by object and property by property, as one
    /// step of undo. Nothing is saved.
    ///
    /// ```swift
    /// let report = try await document.merge(conflictCopy)
    /// for conflict in report.undecided { print(conflict.name, conflict.ours, conflict.theirs) }
    /// if report.isApplied { try await document.save() }
    /// ```
    /// What one side alone has changed since the base is taken from it. To-many relationships are
    /// merged as sets, or as sequences if they are ordered; attributes by the rule that the model
    /// gives under `folio.merge` in their user info. New objects of both sides are one object if a
    /// uniqueness constraint says so or if they are equal. New objects of the other document whose
    /// primary keys are taken get others, which the report lists. A state of the other document
    /// that was merged before is not merged again, whatever base is named. The result is valid, or
    /// nothing is merged: changes and deletions of the other document that would violate a rule are
    /// conflicts.
    ///
    /// Unsaved changes of a package or an archive are autosaved first, and again if the document is
    /// edited while the merge is planned. The save that follows makes the state of the other
    /// document known to this one, so that a later merge of the same two continues from here. The
    /// exception is a merge that leaves out changes or new objects of the other document because of
    /// a conflict that nothing decided: that state is not known, and a later merge finds what is
    /// missing.
    ///
    /// Reads the three states. Of SQLite stores that come from one, the pages are compared, and the
    /// objects in those that differ; this needs a temporary copy of the base. Of other stores, and
    /// within archives, all objects are compared. Memory is needed for the differences. A base that
    /// is made of several states takes two temporary copies of the store, and the versions of both
    /// documents that it is made of.
    ///
    /// - Parameters:
    ///   - url: The other document in any form, which may have another UUID. A path such as
    ///     `Notes.folio@7` that does not exist means a version. It is opened for reading.
    ///   - base: The state that both came from.
    ///   - decisions: What decides conflicts. Those that nothing decides refuse the merge, which
    ///     the report says, unless ``DocumentMerge/Decisions/undecided`` keeps them.
    /// - Returns: What was done, and the conflicts.
    /// - Throws: `DocumentError`: `notFound` if no common state is known, `modelMismatch` if the
    ///   other document or the base can't be brought to the version of the model of this document
    ///   without loss, or if the model of the other has no place for what the base has, `usage` for
    ///   a decision by a value on something other than an attribute, `unsavedChanges` for a bare
    ///   store with unsaved changes or a document that is edited again and again meanwhile,
    ///   `unsupported` if too many objects would violate rules, and what opening documents throws.
    ///   Nothing is changed then.
    @discardableResult
    public func merge(
        _ url: URL, base: DocumentMerge.Base = .common, deciding decisions: DocumentMerge.Decisions = .refuse
    ) async throws -> DocumentMerge.Report {
        try await DocumentMerge.merge(url, into: self, base: base, deciding: decisions, fitting: .own)
    }

    /// The conflicts of former merges that nobody has decided yet, with the values that the states
    /// had when they were merged. Empty for a bare store. Reads a small file of the document.
    ///
    /// - Throws: `DocumentError` with code `malformed` if the list is damaged.
    public func undecidedConflicts() async throws -> [DocumentMerge.Conflict] {
        try await opened.exclusively { try await ConflictSettling(document: opened).undecided() }
    }

    /// Decides a conflict of a former merge, as one step of undo; see ``settleConflicts(_:)``.
    ///
    /// ```swift
    /// try await document.settleConflict("Book/p7.title", .theirs)
    /// ```
    public func settleConflict(_ name: String, _ choice: DocumentMerge.Choice) async throws {
        try await settleConflicts([name: choice])
    }

    /// Decides several conflicts of former merges, as one step of undo. Nothing is saved. The list
    /// of conflicts is gone through once.
    ///
    /// ```swift
    /// let names = try await document.undecidedConflicts().map(\.name)
    /// try await document.settleConflicts(Dictionary(uniqueKeysWithValues: names.map { ($0, .ours) }))
    /// ```
    /// - Parameter decisions: By the ``DocumentMerge/Conflict/name`` of each conflict.
    /// - Throws: `DocumentError`: `notFound` if there is no such conflict, or if the object of a
    ///   value is gone; `unsupported` if a conflict can be decided only by editing the objects,
    ///   after which `ours` removes it from the list, and for a value of the other document that is
    ///   too large for the list; `usage` for a value that is to decide something other than the
    ///   value of an attribute. `GraphError` for a value of another type. Nothing is changed then.
    public func settleConflicts(_ decisions: [String: DocumentMerge.Choice]) async throws {
        try await opened.exclusively { try await ConflictSettling(document: opened).settle(decisions) }
    }
}
