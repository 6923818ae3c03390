import Foundation
import RowMemory
import Schema
import Storage

/// Creates rows of one entity for a table, in slabs of exactly the necessary size.
///
/// A table is kept for a long time, so unused capacity of a slab would waste memory.
struct RowFiller {
    private let layout: RowLayout
    /// The number of rows still to be added; nil if it is unknown.
    private var left: Int?
    /// The filled slabs, in order.
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

    /// Copies a value in its stored form: temporary keys are replaced, files of large values are
    /// read, and nil parts of composites are removed.
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
    /// The value with its bytes in memory. A value whose file is missing remains a reference,
    /// because only its name is left.
    /// - Throws: `StorageError.tooLarge` for a value that is too large for this type of store,
    ///   which keeps values in memory.
    fileprivate func inMemory() throws -> LargeValue {
        guard bytesAtHand == nil else { return self }
        do {
            let bytes = try data()
            // The original source of the value need not exist after the save.
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
    /// A composite without its nil parts; nil if no part is left.
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
