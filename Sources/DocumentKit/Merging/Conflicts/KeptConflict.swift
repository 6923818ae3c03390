internal import Coding
internal import Foundation
internal import ObjectGraph
internal import Schema
internal import Storage

/// A conflict that nothing decided, as a document keeps it until somebody does.
struct KeptConflict: Codable, Sendable, Hashable {
    var kind: String
    /// As `Book/p7`.
    var object: String
    var property: String?
    var base: KeptValue
    var ours: KeptValue
    var theirs: KeptValue
    var others: [String]
    var message: String?

    /// - Parameter hasFiles: Whether the files of large values of both sides must exist.
    /// - Throws: What reading large values throws.
    init(_ conflict: DocumentMerge.Conflict, hasFiles: Bool) throws {
        kind = conflict.kind.rawValue
        object = conflict.object
        property = conflict.property
        base = try KeptValue(possiblyMissing: conflict.base)
        ours = try hasFiles ? KeptValue(conflict.ours) : KeptValue(possiblyMissing: conflict.ours)
        theirs = try hasFiles ? KeptValue(conflict.theirs) : KeptValue(possiblyMissing: conflict.theirs)
        others = conflict.others
        message = conflict.message
    }

    func conflict(in store: StoreIdentity) -> DocumentMerge.Conflict {
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

    var name: String { DocumentMerge.Conflict.name(object, property) }
}
