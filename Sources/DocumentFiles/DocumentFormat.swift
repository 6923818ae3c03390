package import Coding

/// One version of the document format out of the one before: how a manifest of that one reads
/// today. A type of its own for each, named by what changed.
package protocol DocumentFormatStep: Sendable {
    /// The members of a manifest of this version, made of those of a manifest of the version
    /// before.
    func manifest(from members: [String: JSONValue]) throws -> [String: JSONValue]
}

/// The format of packages and archives. Every version that was released is read for ever; writing
/// makes the newest.
package struct DocumentFormat: Sendable {
    /// The format that this program writes.
    package static let current = DocumentFormat(steps: [])

    /// From version 1 to 2, from 2 to 3, and so on.
    private let steps: [any DocumentFormatStep]

    package init(steps: [any DocumentFormatStep]) { self.steps = steps }

    /// The newest version.
    package var version: Int { steps.count + 1 }

    /// What a manifest of a version would say in the newest; one of a version that is not known
    /// stays as it is.
    func upgrade(_ manifest: JSONValue, from version: Int) throws -> JSONValue {
        guard version >= 1, version < self.version, var members = manifest.object else { return manifest }
        for step in steps[(version - 1)...] { members = try step.manifest(from: members) }
        return .object(members)
    }
}
