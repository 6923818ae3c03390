import Foundation
import Schema

/// The only place where kinds of slots are mapped to Swift types.
extension SlotKind {
    var size: Int {
        switch self {
        case .int: MemoryLayout<Int64>.size
        case .bool: MemoryLayout<Bool>.size
        case .double, .date: MemoryLayout<Double>.size
        case .float: MemoryLayout<Float>.size
        case .string, .uri: MemoryLayout<String>.size
        case .uuid: MemoryLayout<UUID>.size
        case .decimal: MemoryLayout<Decimal>.size
        case .data: MemoryLayout<Data>.size
        case .large: MemoryLayout<LargeValue>.size
        case .boxed: MemoryLayout<BoxedValue>.size
        case .toOne: MemoryLayout<ObjectReference>.size
        case .toMany: MemoryLayout<AnyObject>.size
        }
    }

    var alignment: Int {
        switch self {
        case .int: MemoryLayout<Int64>.alignment
        case .bool: MemoryLayout<Bool>.alignment
        case .double, .date: MemoryLayout<Double>.alignment
        case .float: MemoryLayout<Float>.alignment
        case .string, .uri: MemoryLayout<String>.alignment
        case .uuid: MemoryLayout<UUID>.alignment
        case .decimal: MemoryLayout<Decimal>.alignment
        case .data: MemoryLayout<Data>.alignment
        case .large: MemoryLayout<LargeValue>.alignment
        case .boxed: MemoryLayout<BoxedValue>.alignment
        case .toOne: MemoryLayout<ObjectReference>.alignment
        case .toMany: MemoryLayout<AnyObject>.alignment
        }
    }

    /// Whether a value must be destroyed.
    var isManaged: Bool {
        switch self {
        case .int, .bool, .double, .float, .date, .uuid, .decimal, .toOne: false
        case .string, .uri, .data, .large, .boxed, .toMany: true
        }
    }
}
