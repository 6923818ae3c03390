import Foundation
import RowMemory
import Schema
import Storage

/// Makes rows of one entity for a table, in slabs that are just large enough.
///
/// A table lives long: a slab with room to spare would be held for nothing.
struct RowFiller {
    private let layout: RowLayout
    /// How many rows are still to come; nil if that is not known.
    private var left: Int?
    /// What has been filled, in order.
    private(set) var slabs: ContiguousArray<RowSlab> = []
    private var source = SlabSource()

    private static let largestSlab = 512

    init(_ layout: RowLayout, count: Int? = nil) {
        self.layout = layout
        left = count
    }

    mutating func append(key: Int64, version: Int64) -> Row {
        openSlab().appendRow(key: key, version: version)
    }

    /// Adds a copy of a row, which has the same layout.
    mutating func append(copyOf source: Row, key: Int64, version: Int64) -> Row {
        let row = openSlab().append(copyOf: source)
        row.key = key
        row.version = version
        return row
    }

    private mutating func openSlab() -> RowSlab {
        if let slab = slabs.last, !slab.isFull { return slab }
        let capacity = min(max(left ?? 4 * (slabs.last?.capacity ?? 2), 1), Self.largestSlab)
        left = left.map { $0 - capacity }
        let new = source.makeSlab(layout, capacity: capacity)
        slabs.append(new)
        return new
    }

    /// Copies a value as a store keeps it: temporary numbers replaced, files of large values read,
    /// what is nothing in a composite left out.
    func copy(
        _ slot: RowSlot, from source: Row, into row: Row, _ property: PropertyDescription, _ key: (Int64) -> Int64
    ) throws {
        guard source.hasValue(slot) else { return }
        switch slot.kind {
        case .toOne:
            guard let reference = source.reference(slot) else { return }
            row.setReference(ObjectReference(key: key(reference.key), entityIndex: reference.entityIndex), slot)
        case .large:
            guard let value = source.large(slot) else { return }
            row.setLarge(try value.inMemory(), slot)
        case .boxed:
            guard let value = source.boxed(slot)?.value.withoutNulls() else { return }
            row.setBoxed(BoxedValue(value), slot)
        case .int, .bool, .double, .float, .decimal, .date, .string, .uri, .uuid, .data, .toMany:
            row.copyValue(of: slot, from: source)
        }
    }
}

extension LargeValue {
    /// The value with its bytes at hand. One whose file is missing stays a reference to it: the
    /// name is all that is left of it.
    /// - Throws: `StorageError.tooLarge` for one that memory is not for, which this kind of store
    ///   is.
    fileprivate func inMemory() throws -> LargeValue {
        guard bytesAtHand == nil else { return self }
        do {
            let bytes = try data()
            // What it was read from need not outlive the save.
            if fileName == nil { settle(in: BytesSource(bytes)) }
            return LargeValue(bytes)
        } catch let error as StorageError where error.code == .notFound && fileName != nil {
            return self
        }
    }

    /// A value whose file is known to be missing.
    static func missing(_ name: String) -> LargeValue { LargeValue(MissingValue(named: name)) }
}

extension PropertyValue {
    /// A composite without the parts that are nil; nil if nothing is left.
    func withoutNulls() -> PropertyValue? {
        switch self {
        case .null: return nil
        case .composite(let parts):
            let left = parts.compactMapValues { $0.withoutNulls() }
            return left.isEmpty ? nil : .composite(left)
        default: return self
        }
    }
}
