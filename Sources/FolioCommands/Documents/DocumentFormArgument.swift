import Folio
import Foundation

/// The options that say in which form a document is written.
enum DocumentFormArgument {
    /// `--archive`, `--package` or `--store KIND`; a package where none is given.
    static func form(_ arguments: ParsedArguments) throws -> DocumentForm {
        guard [arguments.has("--archive"), arguments.has("--package"), arguments.has("--store")].count(where: { $0 }) <= 1 else {
            throw CommandError.usage("--archive, --package and --store exclude each other")
        }
        switch try arguments.choice("--store", among: ["sqlite", "binary", "xml"], default: "") {
        case "sqlite": return .store
        case "binary": return .binaryStore
        case "xml": return .xmlStore
        default: return arguments.has("--archive") ? .archive : .package
        }
    }

    static func refuseExisting(_ path: String) throws {
        var status = stat()
        guard lstat(path, &status) != 0 else {
            throw CommandError(.cannotCreate, "exists", "there is something already", path: path, hint: "choose another name, or remove it first")
        }
    }
}
