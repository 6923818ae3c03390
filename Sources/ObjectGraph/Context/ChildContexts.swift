/// The children of a context, which they retain and which does not retain them.
struct ChildContexts {
    private struct Child {
        weak var context: ManagedObjectContext?
    }

    private var children: [Child] = []

    /// Whether there are none. Children that were released count until they are forgotten.
    var isEmpty: Bool { children.isEmpty }

    /// The children that still exist.
    var existing: [ManagedObjectContext] { children.compactMap(\.context) }

    mutating func append(_ context: ManagedObjectContext) { children.append(Child(context: context)) }

    /// Removes released children from the list.
    mutating func forgetReleased() { children.removeAll { $0.context == nil } }
}
