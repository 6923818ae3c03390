/// Adds rows to a slab that the caller keeps alive. A reference to the slab would cost a fifth of
/// the time of filling a row.
///
/// Public, like rows, so that it is inlined into loops in other modules.
///
/// Invariants:
/// 1. The slab is kept alive as long as the cursor is used.
/// 2. The number of rows is stored only once, before the first row, so that the slab and all of its
///    cursors agree.
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

    /// Adds a row without values; nil if the slab is full or has another layout.
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
        // Rows are short and multiples of 8 bytes: a function call would cost more than the stores.
        var offset = 16
        while offset < stride {
            place.storeBytes(of: 0, toByteOffset: offset, as: UInt64.self)
            offset += 8
        }
        return RowCells(base: place)
    }
}
