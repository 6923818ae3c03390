internal import Schema

/// What a merge makes of ours, and what it could not decide.
package struct MergeOutcome: Sendable {
    /// How the members of a to-many relationship of ours change.
    package struct MemberEdit: Sendable {
        package var owner: MergeName
        /// Its number.
        package var property: Int
        package var added: [MergeName]
        package var removed: [MergeName]
        /// All members in their order, where there is one and it is to be set.
        package var order: [MergeName]?
    }

    /// A new value of an attribute or a to-one relationship of ours.
    package struct ValueEdit: Sendable {
        package var object: MergeName
        /// Its number.
        package var property: Int
        package var value: MergeValue
    }

    /// Objects to be made, new ones of theirs and ones that ours has deleted, with all their
    /// values.
    package internal(set) var insertions = ObjectTable<ObjectValues>()
    package internal(set) var values: [ValueEdit] = []
    package internal(set) var members: [MemberEdit] = []
    /// Objects of ours.
    package internal(set) var deletions: [MergeName] = []
    package internal(set) var conflicts: [MergeConflictRecord] = []
    /// New objects of theirs that are left out because of conflicts that nothing decided.
    package internal(set) var omitted: Set<MergeName> = []
    /// New objects of theirs that are the same as new ones of ours.
    package internal(set) var united: [MergeName: MergeName] = [:]

    /// Whether ours stays as it is.
    package var isEmpty: Bool { insertions.isEmpty && values.isEmpty && members.isEmpty && deletions.isEmpty }
}

/// What the three states say that the rules of a merge can't reconcile.
package struct MergeConflictRecord: Sendable {
    package var kind: DocumentMerge.Conflict.Kind
    package var object: MergeName
    /// Of a composite attribute with the parts that lead to the value, joined by periods; of a
    /// constraint its attributes, joined by commas. Nil for the object as a whole.
    package var property: String?
    package var base: MergeValue
    package var ours: MergeValue
    package var theirs: MergeValue
    /// Other objects that are part of it.
    package var others: [MergeName] = []
    /// Why, where the values don't say it.
    package var message: String?
    package var choice: DocumentMerge.Choice?
}
