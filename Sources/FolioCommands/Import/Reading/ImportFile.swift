import Folio
import Foundation

/// A file that is to be imported, as the command line names it.
struct ImportFile {
    let bytes: ImportBytes
    /// What the command line says of which entity its objects are.
    private let entityName: String?
    /// What its name says of it.
    private let baseName: String
    /// The entity of objects that don't say theirs; settled once the model is known.
    private(set) var entity: EntityDescription?

    /// - Parameters:
    ///   - operand: a path, or `Entity=PATH`.
    ///   - entityName: what `--entity` says.
    /// - Throws: 66, 74, 77 or a usage error, with the path.
    init(_ operand: String, entityName: String?) throws {
        let parts = Self.parts(of: operand), path = parts?.path ?? operand
        self.entityName = parts?.entityName ?? entityName
        baseName = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
        bytes = try ImportBytes(path)
    }

    /// The parts of `Entity=PATH`; nil for a path.
    static func parts(of operand: String) -> (entityName: String, path: String)? {
        guard let match = operand.wholeMatch(of: /(?s)([A-Za-z_][A-Za-z0-9_]*)=(.+)/),
            !FileManager.default.fileExists(atPath: operand)
        else { return nil }
        return (String(match.1), String(match.2))
    }

    /// - Throws: a usage error where the model has no entity that the command line names.
    mutating func settleEntity(in model: ManagedObjectModel) throws {
        if let entityName {
            entity = try EntityLookup.entity(named: entityName, in: model)
        } else {
            entity =
                model.entity(named: baseName) ?? model.entities.first { $0.name.lowercased() == baseName.lowercased() }
        }
    }
}
