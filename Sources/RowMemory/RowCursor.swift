/// Adds rows to a slab that somebody else holds: filling a row so costs no hold on the slab, which
/// would be a fifth of all.
///
/// Public, as rows are, so that loops in other rooms are compiled into them.
///
/// Invariants:
/// 1. The slab is held as long as the cursor is used.
/// 2. The count of rows stands in one place only, before the first row: the slab and all cursors on
///    it agree.
// Its pointers are those of the slab, which is sent and written by one owner at a time (invariant 3
// of slabs).
public struct RowCursor: @unchecked Sendable {
    @usableFromInline let base: UnsafeMutableRawPointer
    @usableFromInline let stride: Int
    @usableFromInline let capacity: Int
    @usableFromInline let layout: UnsafeRawPointer

    @usableFromInline static var headSize: Int { 16 }

    @usableFromInline init(base: UnsafeMutableRawPointer, stride: Int, capacity: Int, layout: RowLayout) {
        self.base = base
        self.stride = stride
        self.capacity = capacity
        self.layout = UnsafeRawPointer(Unmanaged.passUnretained(layout).toOpaque())
    }

    @inlinable static func count(before base: UnsafeMutableRawPointer) -> Int {
        base.load(fromByteOffset: -headSize, as: Int.self)
    }

    @inlinable static func setCount(_ count: Int, before base: UnsafeMutableRawPointer) {
        base.storeBytes(of: count, toByteOffset: -headSize, as: Int.self)
    }

    /// Adds a row without values; nil where the slab is full, or of another layout.
    @inlinable @inline(__always)
    public func appendRow(_ layout: RowLayout, key: Int64, version: Int64) -> RowCells? {
        let count = Self.count(before: base)
        guard self.layout == UnsafeRawPointer(Unmanaged.passUnretained(layout).toOpaque()), count < capacity else {
            return nil
        }
        Self.setCount(count + 1, before: base)
        return Self.makeRow(at: base + count * stride, stride: stride, key: key, version: version)
    }

    @inlinable @inline(__always)
    static func makeRow(at place: UnsafeMutableRawPointer, stride: Int, key: Int64, version: Int64) -> RowCells {
        place.storeBytes(of: key, as: Int64.self)
        place.storeBytes(of: version, toByteOffset: 8, as: Int64.self)
        // Rows are short and multiples of 8 bytes: a call costs more than the stores.
        var offset = 16
        while offset < stride {
            place.storeBytes(of: 0, toByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        return RowCells(base: place)
    }
}
