public import Schema

/// A section of the results of a ``FetchedResultsController``.
public struct FetchedResultsSection<Result: ManagedObject> {
    /// The name of the section: the text of its value. Empty if the value is nil, and for the
    /// single section of a controller without a section key path.
    public let name: String
    /// The objects of the section, in order.
    public let objects: [Result]
    /// The number of objects in the section.
    public var numberOfObjects: Int { objects.count }
    /// The first letter of the name in upper case.
    public var indexTitle: String { name.first.map { String($0).uppercased() } ?? "" }
}

/// The results of a ``FetchedResultsController`` as object IDs.
public struct FetchedResultsSnapshot: Sendable, Hashable {
    /// A section of the results.
    public struct Section: Sendable, Hashable {
        /// The name of the section.
        public let name: String
        /// The IDs of the objects in the section, in order.
        public let objectIDs: [ManagedObjectID]
    }

    /// The sections in order.
    public let sections: [Section]
    /// The IDs of all objects, in order.
    public var objectIDs: [ManagedObjectID] { sections.flatMap(\.objectIDs) }
}
