package import Coding

/// Upgrades manifests from one version of the document format to the next. Each version has its own
/// type, named after its change.
package protocol DocumentFormatStep: Sendable {
    /// Converts the members of a manifest of the previous version to those of this version.
    func manifest(from members: [String: JSONValue]) throws -> [String: JSONValue]
}

/// The format of packages and archives. All released versions can be read; documents are written in
/// the newest version.
package struct DocumentFormat: Sendable {
    /// The format that this program writes.
    package static let current = DocumentFormat(steps: [])

    /// The upgrades from version 1 to 2, from 2 to 3, and so on.
    private let steps: [any DocumentFormatStep]

    package init(steps: [any DocumentFormatStep]) { self.steps = steps }

    /// The newest version.
    package var version: Int { steps.count + 1 }

    /// Converts a manifest from an older version to the newest one. A manifest of an unknown
    /// version is returned unchanged.
    func upgrade(_ manifest: JSONValue, from version: Int) throws -> JSONValue {
        guard version >= 1, version < self.version, var members = manifest.object else { return manifest }
        for step in steps[(version - 1)...] { members = try step.manifest(from: members) }
        return .object(members)
    }
}
