import Foundation
import Schema

/// The untyped part of a row's memory: what has to know the Swift type of each kind at run time.
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

    /// Counts one more owner of a value whose bits were copied from another row.
    func retain(_ slot: RowSlot) {
        let place = base + Int(slot.offset)
        func own<Value>(_ type: Value.Type) {
            // The bits are moved out, and a real copy of the value is put back beside the one that
            // keeps them alive elsewhere.
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
