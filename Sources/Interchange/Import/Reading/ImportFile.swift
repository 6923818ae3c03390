package import Folio
import Foundation

/// A file to import, as given on the command line.
package struct ImportFile {
    package let bytes: ImportBytes
    /// The name of the entity on the command line.
    private let entityName: String?
    /// The name of the file without extension, which may be the name of an entity.
    private let baseName: String
    /// The entity of objects without an explicit one. Set when the model is known.
    package private(set) var entity: EntityDescription?

    /// - Parameters:
    ///   - operand: A path, or `Entity=PATH`.
    ///   - entityName: The value of `--entity`.
    /// - Throws: An error with exit code 66, 74 or 77 or a usage error, with the path.
    package init(_ operand: String, entityName: String?) throws {
        let parts = Self.parts(of: operand), path = parts?.path ?? operand
        self.entityName = parts?.entityName ?? entityName
        baseName = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        bytes = try ImportBytes(path)
    }

    /// A file by its path alone.
    /// - Throws: As for an operand.
    package init(path: String, entityName: String?) throws {
        self.entityName = entityName
        baseName = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        bytes = try ImportBytes(path)
    }

    /// The parts of `Entity=PATH`; nil for a path.
    package static func parts(of operand: String) -> (entityName: String, path: String)? {
        guard let match = operand.wholeMatch(of: /(?s)([A-Za-z_][A-Za-z0-9_]*)=(.+)/),
            !FileManager.default.fileExists(atPath: operand)
        else { return nil }
        return (String(match.1), String(match.2))
    }

    /// - Throws: A usage error if the model does not have the entity given on the command line.
    package mutating func settleEntity(in model: ManagedObjectModel) throws {
        if let entityName {
            entity = try EntityLookup.entity(named: entityName, in: model)
        } else {
            entity =
                model.entity(named: baseName) ?? model.entities.first { $0.name.lowercased() == baseName.lowercased() }
        }
    }
}
