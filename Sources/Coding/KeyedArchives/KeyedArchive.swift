package import Foundation
internal import Synchronization

/// An archive in the format of `NSKeyedArchiver`: a table of objects that refer to each other by
/// index. Cycles are possible.
///
/// No class is ever instantiated. Objects are examined one by one; an unknown class is only a name
/// with fields.
///
/// Invariant: an archive resolves a limited number of references, proportional to its number of
/// objects. A few objects with several references to each other would otherwise take unlimited time
/// if they are traversed as a tree, which is what callers do.
///
/// ```swift
/// let root = try KeyedArchive(data).root()
/// for element in try root.elements() ?? [] { … }
/// ```
package final class KeyedArchive: Sendable {
    package let objects: [PropertyListValue]
    package let top: [String: PropertyListValue]
    private let limit: Int
    private let followed = Atomic<Int>(0)

    package init(_ data: Data, limits: PropertyListLimits = .standard) throws(CodingError) {
        let list = try PropertyList.decode(data, limits: limits)
        guard let archive = list.dictionary, let objects = archive["$objects"]?.array,
            let top = archive["$top"]?.dictionary
        else {
            throw CodingError(.malformed, "the property list is no keyed archive")
        }
        guard archive["$version"]?.integer == 100_000 else {
            throw CodingError(
                .unsupported, "keyed archives of version \(archive["$version"]?.integer ?? 0) are not read, only 100000"
            )
        }
        guard objects.first?.string == "$null" else {
            throw CodingError(.malformed, "the archive's table of objects does not begin with $null")
        }
        self.objects = objects
        self.top = top
        limit = min(100_000 + 32 * objects.count, 4_000_000)
    }

    /// The top-level object with the key `key`.
    package func root(_ key: String = "root") throws(CodingError) -> ArchivedObject {
        guard let entry = top[key] else { throw CodingError(.missing, "the archive holds nothing called “\(key)”") }
        guard let object = try resolve(entry) else { throw CodingError(.missing, "“\(key)” in the archive is nil") }
        return object
    }

    /// The object that a reference refers to; nil for the null reference.
    /// - Throws: `CodingError.malformed` if the value is not a reference, `tooMany` after more
    ///   references than a valid model needs.
    func resolve(_ value: PropertyListValue) throws(CodingError) -> ArchivedObject? {
        guard let uid = value.uid else {
            throw CodingError(.malformed, "\(value.kindName) where the archive must have a reference")
        }
        guard followed.wrappingAdd(1, ordering: .relaxed).newValue <= limit else {
            throw CodingError(.tooMany, "the archive's objects refer to each other more than \(limit) times over")
        }
        guard uid < UInt64(objects.count) else {
            throw CodingError(.malformed, "a reference to object \(uid) of \(objects.count)")
        }
        return uid == 0 ? nil : ArchivedObject(archive: self, index: Int(uid))
    }
}
