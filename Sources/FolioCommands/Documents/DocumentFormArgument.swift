import Folio
import Foundation

/// The options that say in which form a document is written.
enum DocumentFormArgument {
    static let options = [
        OptionSpecification(["--package"], "a folder (the default)"),
        OptionSpecification(["--archive"], "one zip file"),
        OptionSpecification(["--store"], value: "KIND", "a bare store: sqlite, binary or xml", choices: ["sqlite", "binary", "xml"]),
    ]
    static let exclusion = ["--archive", "--package", "--store"]

    /// `--archive`, `--package` or `--store KIND`; a package where none is given.
    static func form(_ arguments: ParsedArguments) -> DocumentForm {
        switch arguments.value("--store") {
        case "sqlite": return .store
        case "binary": return .binaryStore
        case "xml": return .xmlStore
        default: return arguments.has("--archive") ? .archive : .package
        }
    }

    /// Refuses what stands in the place of a new document; with `--force` only a document that an editor left unsaved work in.
    /// - Parameter source: The document that the new one is made of, in which it must not lie.
    static func refuseExisting(_ path: String, of source: String, _ arguments: ParsedArguments) throws {
        try refuse(path, in: source)
        if arguments.has("--force") { try refuseUnsavedWork(path) } else { try refuseExisting(path) }
    }

    /// Refuses a place within a document that is read: what others know nothing of is gone when they replace it.
    private static func refuse(_ path: String, in source: String) throws {
        let source = DocumentArgument(source).path
        if ResolvedPath(path).lies(in: ResolvedPath(source)) { throw CommandError.usage("\(path) would lie in \(source)") }
    }

    static func refuseExisting(_ path: String, of source: String) throws {
        try refuse(path, in: source)
        try refuseExisting(path)
    }

    static func refuseExisting(_ path: String) throws {
        var status = stat()
        guard lstat(path, &status) != 0 else {
            throw CommandError(.cannotCreate, "exists", "there is something already", path: path, hint: "choose another name, or remove it first")
        }
    }

    private static func refuseUnsavedWork(_ path: String) throws {
        // What is no document has none, and what can't be replaced is refused by the writing.
        guard let info = try? DocumentInfo(of: URL(fileURLWithPath: path), countsObjects: false), info.hasUnsavedChanges, info.lock == nil else { return }
        throw CommandError(
            .tryLater, "recoverable", "an editor that is gone left work in it that was never saved", path: path, hint: "recover keeps or discards it: folio recover \(path) --list")
    }
}
