import Foundation
import Schema

/// The operations on a row's memory that depend on the kind of a slot at run time.
struct RowPointer {
    let base: UnsafeMutableRawPointer

    @inline(__always) func destroyManaged(_ slots: UnsafeBufferPointer<RowSlot>) {
        for slot in slots
        where base.load(fromByteOffset: Int(slot.presenceOffset), as: UInt8.self) & slot.presenceMask != 0 {
            destroy(slot)
        }
    }

    @inline(__always) func destroy(_ slot: RowSlot) {
        let place = base + Int(slot.offset)
        switch slot.kind {
        case .string, .uri: place.assumingMemoryBound(to: String.self).deinitialize(count: 1)
        case .data: place.assumingMemoryBound(to: Data.self).deinitialize(count: 1)
        case .large: place.assumingMemoryBound(to: LargeValue.self).deinitialize(count: 1)
        case .boxed: place.assumingMemoryBound(to: BoxedValue.self).deinitialize(count: 1)
        case .toMany: place.assumingMemoryBound(to: AnyObject.self).deinitialize(count: 1)
        case .int, .bool, .double, .float, .date, .uuid, .decimal, .toOne: break
        }
    }

    /// Retains a value whose bits were copied from another row.
    func retain(_ slot: RowSlot) {
        let place = base + Int(slot.offset)
        func own<Value>(_ type: Value.Type) {
            // Reads the copied bits as a value without taking ownership, and initializes the memory
            // with a real copy. The original row keeps the value alive meanwhile.
            let original = UnsafePointer(place.assumingMemoryBound(to: Value.self))
            let copy = original.pointee
            UnsafeMutablePointer(mutating: original).initialize(to: copy)
        }
        switch slot.kind {
        case .string, .uri: own(String.self)
        case .data: own(Data.self)
        case .large: own(LargeValue.self)
        case .boxed: own(BoxedValue.self)
        case .int, .bool, .double, .float, .date, .uuid, .decimal, .toOne, .toMany: break
        }
    }
}
