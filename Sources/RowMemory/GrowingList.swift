/// A list that grows at its end and never moves what it holds: pieces of memory, each twice as
/// large as the one before.
///
/// An array that doubles copies its elements, and asks the system for fresh memory each time: where
/// many thousands of changes are noted, that takes longer than noting them. Reading and writing one
/// element costs a few instructions more than in an array. Copies share their memory until one of
/// them is changed.
///
/// Public, as rows are, so that loops in other rooms are compiled into them.
///
/// Invariants:
/// 1. Element `n` stands in the piece whose number is the position of the highest bit of `n + 4`,
///    counted from bit 2, at the place that the other bits say.
/// 2. Elements `0..<count` are initialized, and no others.
public struct GrowingList<Element> {
    @usableFromInline final class Storage {
        @usableFromInline typealias Piece = UnsafeMutablePointer<Element>

        /// `pieceLimit` places, filled one after the other.
        @usableFromInline let pieces: UnsafeMutablePointer<Piece?>
        @exclusivity(unchecked) @usableFromInline var count = 0

        init() {
            pieces = .allocate(capacity: Self.pieceLimit)
            pieces.initialize(repeating: nil, count: Self.pieceLimit)
        }

        /// Few lists of small changes ever get more elements than a few, and there may be one for
        /// each step that can be undone.
        @inlinable static var firstBits: Int { 2 }
        @inlinable static var first: Int { 1 << firstBits }
        /// As many as any memory has room for.
        private static var pieceLimit: Int { 40 }

        @inlinable @inline(__always) func place(_ index: Int) -> Piece {
            let number = index &+ Self.first
            let bit = Int.bitWidth &- 1 &- number.leadingZeroBitCount
            return pieces[bit &- Self.firstBits].unsafelyUnwrapped + (number ^ (1 << bit))
        }

        /// The place of one more element, which whoever asks initializes at once.
        @inlinable @inline(__always) func nextIndex() -> Piece {
            let index = count
            let number = index &+ Self.first
            if number & (number &- 1) == 0, pieces[number.trailingZeroBitCount &- Self.firstBits] == nil {
                addPiece(for: index)
            }
            count = index &+ 1
            return place(index)
        }

        /// Makes the piece that element `index` is the first of.
        @usableFromInline func addPiece(for index: Int) {
            let capacity = index + Self.first
            pieces[capacity.trailingZeroBitCount - Self.firstBits] = .allocate(capacity: capacity)
        }

        /// Destroys the elements; the pieces stay. Nothing that an element does when it goes
        /// reaches the list.
        func removeElements() {
            var first = 0
            var left = count
            count = 0
            while left > 0,
                let piece = pieces[first.bitWidth - 1 - (first + Self.first).leadingZeroBitCount - Self.firstBits]
            {
                let capacity = first + Self.first
                piece.deinitialize(count: Swift.min(left, capacity))
                left -= capacity
                first += capacity
            }
        }

        deinit {
            removeElements()
            var number = 0
            while number < Self.pieceLimit, let piece = pieces[number] {
                UnsafeMutableRawPointer(piece).deallocate()
                number += 1
            }
            pieces.deallocate()
        }
    }

    @usableFromInline var storage: Storage?

    @inlinable public init() {}

    @inlinable public var count: Int { storage?.count ?? 0 }
    @inlinable public var isEmpty: Bool { count == 0 }

    @inlinable @inline(__always) public mutating func append(_ element: consuming Element) {
        ownStorage()._withUnsafeGuaranteedRef { $0.nextIndex() }.initialize(to: element)
    }

    /// Moves the last element out; nil where there is none.
    @inlinable public mutating func popLast() -> Element? {
        guard !isEmpty else { return nil }
        return ownStorage()._withUnsafeGuaranteedRef { storage in
            storage.count -= 1
            return storage.place(storage.count).move()
        }
    }

    /// Lets all elements go, and the memory too unless it is kept for others to come.
    public mutating func removeAll(keepingCapacity: Bool = false) {
        guard keepingCapacity, storage != nil, isKnownUniquelyReferenced(&storage) else { return storage = nil }
        storage?.removeElements()
    }

    @inlinable public subscript(index: Int) -> Element {
        @inline(__always) get {
            precondition(index >= 0 && index < count, "There is no such element")
            return storage.unsafelyUnwrapped.place(index).pointee
        }
        @inline(__always) _modify {
            precondition(index >= 0 && index < count, "There is no such element")
            yield &ownStorage()._withUnsafeGuaranteedRef { $0.place(index) }.pointee
        }
    }

    /// Not counted: the list holds it, and is not touched otherwise while it is used.
    @inlinable @inline(__always) mutating func ownStorage() -> Unmanaged<Storage> {
        if storage == nil || !isKnownUniquelyReferenced(&storage) { takeStorage() }
        return .passUnretained(storage.unsafelyUnwrapped)
    }

    @usableFromInline mutating func takeStorage() {
        let own = Self.makeStorage()
        if let storage {
            for index in 0..<storage.count {
                if index + Storage.first == 1 << (index + Storage.first).trailingZeroBitCount {
                    own.addPiece(for: index)
                }
                own.place(index).initialize(to: storage.place(index).pointee)
                own.count = index + 1
            }
        }
        storage = own
    }

    @usableFromInline static func makeStorage() -> Storage { Storage() }
}

extension GrowingList: RandomAccessCollection, MutableCollection {
    @inlinable public var startIndex: Int { 0 }
    @inlinable public var endIndex: Int { count }
}

extension GrowingList {
    /// An object of the list without holding it; whoever uses it holds the list.
    @inlinable @inline(__always) public func unowned<Object: AnyObject>(at index: Int) -> Unmanaged<Object>?
    where Element == Object? {
        precondition(index >= 0 && index < count, "There is no such element")
        // A reference that may be nil is kept as a pointer that may be nil.
        return UnsafeRawPointer(storage.unsafelyUnwrapped.place(index)).load(as: UnsafeRawPointer?.self).map {
            Unmanaged.fromOpaque($0)
        }
    }
}
