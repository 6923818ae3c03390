internal import Coding
internal import Foundation
package import Schema
internal import Storage

extension PropertyValue {
    /// Whether two documents have the same value. Text is compared by code units, NaN equals NaN,
    /// binary values are compared by their bytes wherever they are stored, and objects by entity
    /// and primary key.
    package func isSame(as other: PropertyValue) -> Bool {
        switch (self, other) {
        case (.double(let a), .double(let b)): a == b || a.isNaN && b.isNaN
        case (.float(let a), .float(let b)): a == b || a.isNaN && b.isNaN
        case (.date(let a), .date(let b)):
            a == b || a.timeIntervalSinceReferenceDate.isNaN && b.timeIntervalSinceReferenceDate.isNaN
        case (.decimal(let a), .decimal(let b)): a == b || a.isNaN && b.isNaN
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.uri(let a), .uri(let b)): a.absoluteString.utf8.elementsEqual(b.absoluteString.utf8)
        case (.object(let a), .object(let b)): a.key == b.key && a.entity.name == b.entity.name
        case (.list(let a), .list(let b)): a.count == b.count && zip(a, b).allSatisfy { $0.isSame(as: $1) }
        case (.composite(let a), .composite(let b)):
            Set(a.keys).union(b.keys).allSatisfy { (a[$0] ?? .null).isSame(as: b[$0] ?? .null) }
        case (.large(let a), .large(let b)): a.isSame(as: b)
        case (.large(let a), .data(let b)), (.data(let b), .large(let a)): a.isSame(as: LargeValue(b))
        default: self == other
        }
    }

    /// The first twelve hexadecimal digits of the SHA-256 of a binary value; nil for other values,
    /// and if the file of a large value is missing.
    package var shortDigest: String? {
        let value: LargeValue
        switch self {
        case .data(let data): value = LargeValue(data)
        case .large(let large): value = large
        default: return nil
        }
        var hash = SHA256()
        guard (try? value.forEachPiece { hash.update($0) }) != nil else { return nil }
        return Hex.encode(hash.digest().prefix(6))
    }
}

extension LargeValue {
    fileprivate func isSame(as other: LargeValue) -> Bool {
        if let isSame = try? hasSameBytes(as: other) { return isSame }
        // Where a file is missing, its name tells of the bytes that it had.
        return contentName.map { $0 == other.contentName } ?? false
    }

    /// The name of the file, or the one that the bytes would have.
    private var contentName: String? {
        if let fileName, (try? count) == nil { return fileName }
        return try? ContentFolder.name(of: self)
    }
}
