package import Coding
package import Folio
import Foundation

extension ResolvedConflict {
    /// The result of resolving a conflict.
    package var json: JSONValue {
        .object([
            "copy": copy.map { .string($0.path) } ?? .null,
            "version": version.map { .int($0.generation) } ?? .null,
            "clashes": .array(
                clashes.map { clash in
                    .object([
                        "object": .string(clash.object), "property": clash.property.map { .string($0) } ?? .null,
                        "isMineKept": .bool(clash.isMineKept),
                    ])
                }),
        ])
    }
}
