internal import Coding
internal import Foundation
internal import ObjectGraph
package import Schema
internal import Storage

/// A conflict that nothing decided, as a document keeps it until somebody does.
package struct KeptConflict: Codable, Sendable, Hashable {
    package var kind: String
    /// As `Book/p7`.
    package var object: String
    package var property: String?
    package var base: KeptValue
    package var ours: KeptValue
    package var theirs: KeptValue
    var others: [String]
    package var message: String?

    /// - Parameter hasFiles: Whether the files of large values of both sides must exist.
    /// - Throws: What reading large values throws.
    package init(_ conflict: DocumentMerge.Conflict, hasFiles: Bool) throws {
        kind = conflict.kind.rawValue
        object = conflict.object
        property = conflict.property
        base = try KeptValue(possiblyMissing: conflict.base)
        ours = try hasFiles ? KeptValue(conflict.ours) : KeptValue(possiblyMissing: conflict.ours)
        theirs = try hasFiles ? KeptValue(conflict.theirs) : KeptValue(possiblyMissing: conflict.theirs)
        others = conflict.others
        message = conflict.message
    }

    package func conflict(in store: StoreIdentity) -> DocumentMerge.Conflict {
        DocumentMerge.Conflict(
            kind: DocumentMerge.Conflict.Kind(rawValue: kind) ?? .values, object: object, property: property,
            base: base.value(in: store), ours: ours.value(in: store), theirs: theirs.value(in: store), others: others,
            message: message, choice: nil)
    }

    /// The same with other names of objects; nil where an object has none.
    func renamed(_ rename: (String) -> String?) -> KeptConflict? {
        guard let object = rename(object) else { return nil }
        var conflict = self
        conflict.object = object
        conflict.base = base.renamed(rename)
        conflict.ours = ours.renamed(rename)
        conflict.theirs = theirs.renamed(rename)
        conflict.others = others.compactMap(rename)
        return conflict
    }

    package var name: String { DocumentMerge.Conflict.name(object, property) }
}
