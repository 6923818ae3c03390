internal import FileSystem
internal import Foundation
package import Schema
internal import Storage
internal import Synchronization

/// Copies of large values of other documents, whose files may be gone before the merge is saved.
/// Each value is copied once.
package final class MergedValues: Sendable {
    private struct Copy {
        /// Keeps the identity of the value, by which its copy is found.
        let value: LargeValue
        let copy: LargeValue
    }

    private let folder: String
    private let copies = Mutex<[ObjectIdentifier: Copy]>([:])

    /// - Parameter folder: Where the copies are until they are saved.
    package init(_ folder: String) { self.folder = folder }

    /// The value itself if its bytes are in memory, or if its file is missing: the save of the
    /// merge reports that then.
    package func copy(of value: LargeValue) throws -> LargeValue {
        guard value.bytesAtHand == nil, (try? value.count) != nil else { return value }
        return try copies.withLock { copies in
            if let known = copies[ObjectIdentifier(value)] { return known.copy }
            let url = URL(fileURLWithPath: FilePath.join(folder, "value-\(UniqueName.make())"))
            try value.copy(to: url)
            let copy = try LargeValue(contentsOf: url)
            copies[ObjectIdentifier(value)] = Copy(value: value, copy: copy)
            return copy
        }
    }
}

extension MergeOutcome {
    /// Replaces the large values of other documents by copies.
    mutating func copyLargeValues(_ values: MergedValues) throws {
        try insertions.update { try $1.replace(values.copy) }
        for index in self.values.indices {
            if let copy = try values.copy(of: self.values[index].value) { self.values[index].value = copy }
        }
    }

    /// Replaces the large values of the base in conflicts by copies.
    mutating func copyLargeBaseValues(_ values: MergedValues) throws {
        for index in conflicts.indices {
            if let copy = try values.copy(of: conflicts[index].base) { conflicts[index].base = copy }
        }
    }
}

extension MergedValues {
    /// Nil for a value that is not a large one.
    fileprivate func copy(of value: MergeValue) throws -> MergeValue? {
        guard case .plain(.large(let large)) = value else { return nil }
        return .plain(.large(try copy(of: large)))
    }
}
