/// A list that grows at its end and never moves its elements. It consists of pieces of memory, each
/// twice as large as the previous one.
///
/// A growing array copies its elements and allocates new memory each time. If many thousands of
/// changes are recorded, that takes longer than recording them. Accessing an element costs a few
/// instructions more than in an array. Copies share their memory until one of them is changed.
///
/// Public, like rows, so that it is inlined into loops in other modules.
///
/// Invariants:
/// 1. For element `n`, the highest bit of `n + 4`, counted from bit 2, is the index of its piece;
///    the lower bits are its index in the piece.
/// 2. Elements `0..<count` are initialized, and no others.
public struct GrowingList<Element> {
    @usableFromInline final class Storage {
        @usableFromInline typealias Piece = UnsafeMutablePointer<Element>

        /// `pieceLimit` pointers, set in order.
        @usableFromInline let pieces: UnsafeMutablePointer<Piece?>
        @exclusivity(unchecked) @usableFromInline var count = 0

        init() {
            pieces = .allocate(capacity: Self.pieceLimit)
            pieces.initialize(repeating: nil, count: Self.pieceLimit)
        }

        /// Starts small: most lists of changes have only a few elements, and there may be one for
        /// each undo step.
        @inlinable static var firstBits: Int { 2 }
        @inlinable static var first: Int { 1 << firstBits }
        /// Sufficient for any address space.
        private static var pieceLimit: Int { 40 }

        @inlinable @inline(__always) func place(_ index: Int) -> Piece {
            let number = index &+ Self.first
            let bit = Int.bitWidth &- 1 &- number.leadingZeroBitCount
            return pieces[bit &- Self.firstBits].unsafelyUnwrapped + (number ^ (1 << bit))
        }

        /// The memory for one more element, which the caller must initialize immediately.
        @inlinable @inline(__always) func nextIndex() -> Piece {
            let index = count
            let number = index &+ Self.first
            if number & (number &- 1) == 0, pieces[number.trailingZeroBitCount &- Self.firstBits] == nil {
                addPiece(for: index)
            }
            count = index &+ 1
            return place(index)
        }

        /// Allocates the piece whose first element is `index`.
        @usableFromInline func addPiece(for index: Int) {
            let capacity = index + Self.first
            pieces[capacity.trailingZeroBitCount - Self.firstBits] = .allocate(capacity: capacity)
        }

        /// Destroys the elements and keeps the pieces. Deinitializers of elements can't access the
        /// list.
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

    /// Moves the last element out; nil if there is none.
    @inlinable public mutating func popLast() -> Element? {
        guard !isEmpty else { return nil }
        return ownStorage()._withUnsafeGuaranteedRef { storage in
            storage.count -= 1
            return storage.place(storage.count).move()
        }
    }

    /// Removes all elements, and frees the memory unless it is kept for reuse.
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

    /// Unmanaged: the list retains the storage, and is not accessed otherwise while the storage is
    /// used.
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
    /// An object of the list without a retain; the caller must keep the list alive.
    @inlinable @inline(__always) public func unowned<Object: AnyObject>(at index: Int) -> Unmanaged<Object>?
    where Element == Object? {
        precondition(index >= 0 && index < count, "There is no such element")
        // An optional reference is stored as an optional pointer.
        return UnsafeRawPointer(storage.unsafelyUnwrapped.place(index)).load(as: UnsafeRawPointer?.self).map {
            Unmanaged.fromOpaque($0)
        }
    }
}
