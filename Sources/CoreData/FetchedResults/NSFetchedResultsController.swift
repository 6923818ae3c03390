public import Foundation
import ObjectGraph
import Query

/// How an object of a controller's results changed. The raw values are Apple's.
public enum NSFetchedResultsChangeType: UInt, Sendable {
    /// It is new in the results.
    case insert = 1
    /// It is in the results no more.
    case delete = 2
    /// It stands elsewhere.
    case move = 3
    /// Its values changed.
    case update = 4
}

/// A section of a controller's results.
public protocol NSFetchedResultsSectionInfo {
    /// The name of the section.
    var name: String { get }
    /// The title of the section in an index.
    var indexTitle: String? { get }
    /// The number of objects.
    var numberOfObjects: Int { get }
    /// The objects.
    var objects: [Any]? { get }
}

/// What a controller tells of its results.
///
/// As on Apple's platforms, the methods get a controller of ``NSFetchRequestResult``. Here it is
/// another instance with the same results: don't compare it by identity.
public protocol NSFetchedResultsControllerDelegate: AnyObject {
    /// The results are about to change.
    func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)
    /// The results have changed.
    func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>)
    /// An object changed.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)
    /// A section came or went.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int, for type: NSFetchedResultsChangeType)
    /// The title of a section in an index.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String?
    /// The results, as the IDs of their objects by section.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference)
    /// The difference of the results, as the IDs of their objects.
    func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)
}

extension NSFetchedResultsControllerDelegate {
    public func controllerWillChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
    public func controllerDidChangeContent(_ controller: NSFetchedResultsController<any NSFetchRequestResult>) {}
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
        at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) {}
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChange sectionInfo: any NSFetchedResultsSectionInfo,
        atSectionIndex sectionIndex: Int, for type: NSFetchedResultsChangeType
    ) {}
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
    ) -> String? { sectionName.first.map { String($0).uppercased() } }
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) {}
    public func controller(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
        didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) {}
}

/// Keeps the results of a fetch request up to date with the changes in a context, and tells its
/// delegate of the differences.
///
/// ```swift
/// let controller = NSFetchedResultsController(
///     fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "genre", cacheName: nil)
/// controller.delegate = self
/// try controller.performFetch()
/// ```
open class NSFetchedResultsController<ResultType>: NSObject {
    /// The request. It must sort, by the section first.
    open var fetchRequest: NSFetchRequest<ResultType> { ownFetchRequest }
    private let ownFetchRequest: NSFetchRequest<ResultType>
    /// The context whose objects are fetched.
    open var managedObjectContext: NSManagedObjectContext { ownManagedObjectContext }
    private let ownManagedObjectContext: NSManagedObjectContext
    /// The key path of the value that names an object's section.
    open var sectionNameKeyPath: String? { ownSectionNameKeyPath }
    private let ownSectionNameKeyPath: String?
    /// The name of a cache of sections. There is none here: sections cost no query.
    open var cacheName: String? { ownCacheName }
    private let ownCacheName: String?
    /// Who is told of changes.
    open weak var delegate: (any NSFetchedResultsControllerDelegate)?

    private var folio: FetchedResultsController<ManagedObject>?
    private var observation: FetchedResultsObservation?

    /// Creates a controller. Call ``performFetch()`` to get results.
    public init(
        fetchRequest: NSFetchRequest<ResultType>, managedObjectContext context: NSManagedObjectContext,
        sectionNameKeyPath: String?, cacheName name: String?
    ) {
        ownFetchRequest = fetchRequest
        ownManagedObjectContext = context
        ownSectionNameKeyPath = sectionNameKeyPath
        ownCacheName = name
        super.init()
    }

    /// Deletes a cache of sections, of which there is none.
    open class func deleteCache(withName name: String?) {}

    /// Fetches the results, and follows changes from then on.
    ///
    /// - Throws: An error of Cocoa's domain.
    open func performFetch() throws {
        try translatingErrors {
            let controller = FetchedResultsController<ManagedObject>(
                fetchRequest: try fetchRequest.objectRequest(in: managedObjectContext),
                managedObjectContext: managedObjectContext.required,
                sectionNameKeyPath: sectionNameKeyPath)
            try controller.performFetch()
            folio = controller
            observation = controller.observe { [weak self] in self?.tell($0) }
            previous = controller.snapshot
            previousSections = sections ?? []
            if let delegate, let shown = erased { delegate.controller(shown, didChangeContentWith: snapshot) }
        }
    }

    private var previous = FetchedResultsSnapshot?.none
    private var previousSections: [any NSFetchedResultsSectionInfo] = []

    // MARK: Results

    /// The objects in order; nil before the first fetch.
    open var fetchedObjects: [ResultType]? { folio?.fetchedObjects.flatMap { $0 as? [ResultType] } }

    /// The sections in order; nil before the first fetch.
    open var sections: [any NSFetchedResultsSectionInfo]? {
        folio.map { $0.sections.map { SectionInfo(name: $0.name, objects: $0.objects) } }
    }

    /// The object at an index path. Traps if there is none.
    open func object(at indexPath: IndexPath) -> ResultType {
        guard let object = folio?.object(at: indexPath) as? ResultType else {
            preconditionFailure("There is no object at \(indexPath): call performFetch() before")
        }
        return object
    }

    /// The index path of an object; nil if it is not in the results.
    open func indexPath(forObject object: ResultType) -> IndexPath? {
        (object as? ManagedObject).flatMap { folio?.indexPath(for: $0) }
    }

    /// The titles of the sections in an index.
    open var sectionIndexTitles: [String] { folio?.sectionIndexTitles ?? [] }

    /// The title of a section in an index.
    open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
        if let delegate, let shown = erased {
            return delegate.controller(shown, sectionIndexTitleForSectionName: sectionName)
        }
        return sectionName.first.map { String($0).uppercased() }
    }

    /// The section of an index's title. Traps if there is none.
    open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
        guard let section = folio?.section(forSectionIndexTitle: title, at: sectionIndex) else {
            preconditionFailure("No section has the title \(title)")
        }
        return section
    }

    private var snapshot: NSDiffableDataSourceSnapshotReference {
        NSDiffableDataSourceSnapshotReference(
            (folio?.snapshot.sections ?? []).map { ($0.name, $0.objectIDs) })
    }

    // MARK: Telling

    /// The controller as one of no particular objects, which shares what this one has.
    private var erased: NSFetchedResultsController<any NSFetchRequestResult>? {
        if let own = self as? NSFetchedResultsController<any NSFetchRequestResult> { return own }
        if let known = kept as? NSFetchedResultsController<any NSFetchRequestResult> { return known.following(folio) }
        let made = NSFetchedResultsController<any NSFetchRequestResult>(
            fetchRequest: fetchRequest.erased, managedObjectContext: managedObjectContext,
            sectionNameKeyPath: sectionNameKeyPath, cacheName: cacheName)
        kept = made
        return made.following(folio)
    }
    private var kept: AnyObject?

    private func following(_ controller: FetchedResultsController<ManagedObject>?)
        -> NSFetchedResultsController<ResultType>
    {
        folio = controller
        return self
    }

    private func tell(_ changes: FetchedResultsChanges) {
        defer {
            previous = folio?.snapshot
            previousSections = sections ?? []
        }
        guard let delegate, let shown = erased else { return }
        delegate.controllerWillChangeContent(shown)
        for index in changes.deletedSections where index < previousSections.count {
            delegate.controller(shown, didChange: previousSections[index], atSectionIndex: index, for: .delete)
        }
        let current = sections ?? []
        for index in changes.insertedSections where index < current.count {
            delegate.controller(shown, didChange: current[index], atSectionIndex: index, for: .insert)
        }
        for change in changes.objects {
            let (object, from, type, to): (ManagedObject, IndexPath?, NSFetchedResultsChangeType, IndexPath?) =
                switch change {
                case .insert(let object, let place): (object, nil, .insert, place)
                case .delete(let object, let place): (object, place, .delete, nil)
                case .update(let object, let place): (object, place, .update, folio?.indexPath(for: object))
                case .move(let object, let from, let to): (object, from, .move, to)
                }
            delegate.controller(shown, didChange: object, at: from, for: type, newIndexPath: to)
        }
        delegate.controllerDidChangeContent(shown)
        delegate.controller(shown, didChangeContentWith: snapshot)
        let ids = folio?.snapshot.objectIDs ?? []
        delegate.controller(
            shown, didChangeContentWith: ids.difference(from: previous?.objectIDs ?? []).inferringMoves())
    }

    private struct SectionInfo: NSFetchedResultsSectionInfo {
        let name: String
        let list: [ManagedObject]

        init(name: String, objects: [ManagedObject]) {
            self.name = name
            list = objects
        }

        var indexTitle: String? { name.first.map { String($0).uppercased() } }
        var numberOfObjects: Int { list.count }
        var objects: [Any]? { list }
    }
}

/// The results of a controller as the IDs of its objects, by section.
///
/// On Apple's platforms it comes with the list views that show it; here it can be read.
public final class NSDiffableDataSourceSnapshotReference: NSObject, Sendable {
    private let sections: [(name: String, ids: [NSManagedObjectID])]

    init(_ sections: [(String, [NSManagedObjectID])]) { self.sections = sections }

    /// The number of objects.
    public var numberOfItems: Int { itemIdentifiers.count }
    /// The number of sections.
    public var numberOfSections: Int { sections.count }
    /// The names of the sections.
    public var sectionIdentifiers: [Any] { sections.map(\.name) }
    /// The IDs of all objects, in order.
    public var itemIdentifiers: [Any] { sections.flatMap(\.ids) }

    /// The IDs of the objects of a section; none for a section that there is not.
    public func itemIdentifiersInSection(withIdentifier sectionIdentifier: Any) -> [Any] {
        sections.first { $0.name == sectionIdentifier as? String }?.ids ?? []
    }
}

extension IndexPath {
    /// Creates an index path of an item in a section.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }
    /// Creates an index path of a row in a section.
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }
    /// The section.
    public var section: Int { self[0] }
    /// The item in the section.
    public var item: Int { self[1] }
    /// The row in the section.
    public var row: Int { self[1] }
}
