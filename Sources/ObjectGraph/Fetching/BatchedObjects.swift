import RowMemory
import Schema

/// The result of ``ManagedObjectContext/fetchInBatches(_:)``: a collection of objects whose rows
/// are read one batch at a time.
///
/// The objects and their order are fixed by the fetch; an object that is deleted in the store later
/// is a fault that can't be fired. Accessing an object takes one query of the store if its batch is
/// not cached; the four batches used last are. Converting the collection to an array reads all
/// rows. Use it in the isolation domain of the context.
public struct BatchedObjects<Element: ManagedObject>: RandomAccessCollection {
    private let pages: ObjectPages

    init(_ pages: ObjectPages) {
        self.pages = pages
    }

    public var startIndex: Int { 0 }
    public var endIndex: Int { pages.references.count }

    /// The object at a position, a fault whose row is cached.
    public subscript(position: Int) -> Element {
        let object = pages.object(at: position)
        guard let element = object as? Element else {
            preconditionFailure(
                "\(object.entity.name) has another class than \(Element.self): register it with the coordinator")
        }
        return element
    }
}

/// The references of fetched objects in order, and the objects of the pages that were used last.
///
/// Invariants:
/// 1. `held` has at most as many pages as its capacity, with the page used last at the end.
/// 2. `unsaved` has the objects that are not in the store: their references change when they are
///    saved.
final class ObjectPages {
    let references: ContiguousArray<ObjectReference>
    private let unsaved: [Int: ManagedObject]
    private let size: Int
    private let context: ManagedObjectContext
    private let prefetch: ([ManagedObject]) throws -> Void
    private var held = RecentlyUsed<Int, [ManagedObject]>(capacity: 4)
    static let defaultSize = 256

    init(
        _ references: ContiguousArray<ObjectReference>, unsaved: [Int: ManagedObject], size: Int,
        context: ManagedObjectContext,
        prefetch: @escaping ([ManagedObject]) throws -> Void
    ) {
        self.references = references
        self.unsaved = unsaved
        self.size = size > 0 ? size : Self.defaultSize
        self.context = context
        self.prefetch = prefetch
    }

    func object(at position: Int) -> ManagedObject {
        let page = position / size
        if let known = held.value(for: page) { return known[position - page * size] }
        let objects = objects(of: page)
        held.keep(objects, for: page)
        return objects[position - page * size]
    }

    private func objects(of page: Int) -> [ManagedObject] {
        let range = page * size..<min((page + 1) * size, references.count)
        let objects = range.map { unsaved[$0] ?? context.registry.object(references[$0]) }
        do {
            try context.faults.fetchRows(of: objects.lazy.filter { $0.state.isFault })
            try prefetch(objects)
        } catch {
            // As with any fault that can't be fired, the next save throws this error instead of
            // writing values that may be based on it.
            context.note(error)
        }
        return objects
    }
}
