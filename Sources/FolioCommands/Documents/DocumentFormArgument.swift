import Folio
import Foundation

/// The options for the form in which a document is written.
enum DocumentFormArgument {
    static let options = [
        OptionSpecification(
            ["--package"], "a folder: without an option, .folio and whatever has no extension of the others"),
        OptionSpecification(["--archive"], "one zip file: without an option, .folioz"),
        OptionSpecification(
            ["--store"], value: "KIND",
            "a bare store, sqlite, binary or xml: without an option, sqlite for .sqlite and .storedata, xml for .xml",
            choices: ["sqlite", "binary", "xml"]),
    ]
    static let exclusion = ["--archive", "--package", "--store"]

    /// The form of a new document: the one that `--archive`, `--package` or `--store KIND` selects,
    /// otherwise the one of its extension. If the option contradicts the extension, a note is
    /// printed.
    /// - Throws: A usage error if no option says the form, and the extension is that of files that
    ///   are no documents.
    static func form(_ arguments: ParsedArguments, of path: String, _ console: Console) throws -> DocumentForm {
        let usual = DocumentForm(extensionOf: path)
        guard let chosen = chosen(arguments) else {
            if usual == nil { try refuseForeignExtension(path) }
            return usual ?? .package
        }
        if let usual, usual != chosen {
            console.say(
                "note: \(Printable.line(path)) is written as \(Self.name(of: chosen)), which its extension does not say"
            )
        }
        return chosen
    }

    /// The form of an existing document; nil if it is not recognized.
    static func form(ofDocumentAt path: String) -> DocumentForm? {
        (try? DetectedDocument(path)).map { DocumentForm($0.kind, $0.storeType) }
    }

    /// Prints a note if the form can't contain the document's model.
    static func noteMissingModel(_ form: DocumentForm?, _ console: Console) {
        if form == .xmlStore {
            console.say("note: an XML store has no place for its model: keep that to read it with --model MODEL")
        }
    }

    private static func chosen(_ arguments: ParsedArguments) -> DocumentForm? {
        switch arguments.value("--store") {
        case "sqlite": .store
        case "binary": .binaryStore
        case "xml": .xmlStore
        default: arguments.has("--archive") ? .archive : arguments.has("--package") ? .package : nil
        }
    }

    /// Throws if the extension of a new document's path is that of another kind of files.
    static func refuseForeignExtension(_ path: String) throws {
        let ending = URL(fileURLWithPath: path).pathExtension.lowercased()
        let hint: String
        switch ending {
        case "csv", "json", "jsonl":
            hint = "objects are written by folio export DOC --format \(ending) -o \(ShellWord.quoted(path))"
        case "tsv", "xls", "xlsx", "ods": hint = "objects are written by folio export DOC --format csv"
        case "zip", "tar", "gz", "tgz", "7z":
            hint = "one file in zip format has the extension .folioz, or any with --archive"
        case "db", "db3", "sqlite3": hint = "a SQLite store has the extension .sqlite, or any with --store sqlite"
        case "txt", "md", "html", "pdf": hint = "a document has the extension .folio, .folioz, .sqlite or .xml"
        default: return
        }
        throw InterchangeError.usage("\(path) would be a folder: .\(ending) is no extension of a document", hint: hint)
    }

    static func name(of form: DocumentForm) -> String {
        switch form {
        case .package: "a package"
        case .archive: "an archive"
        case .store: "a SQLite store"
        case .binaryStore: "a binary store"
        case .xmlStore: "an XML store"
        }
    }

    /// Throws if the path of a new document exists. With `--force` only a document with unsaved
    /// work of an editor is an error.
    /// - Parameter source: The document or model that the new document is created from. The new
    ///   document must not be within it or replace it.
    static func refuseExisting(_ path: String, of source: String, _ arguments: ParsedArguments) throws {
        try refuseReplacing(path, of: source, arguments)
        // What would fail at the end fails before any work, and in a dry run as well.
        try DocumentTarget(
            path: LinkResolution.resolve(path), replaces: arguments.has(OptionSpecification.force)
        ).checkPlacing()
    }

    private static func refuseReplacing(_ path: String, of source: String, _ arguments: ParsedArguments) throws {
        let place = ResolvedPath(path),
            known = [DocumentArgument(source).path, ModelReference(source).url.path].map { ResolvedPath($0) }
        // Replacing a document removes all files in its folder, so unrelated files must not be
        // written there.
        if known.contains(where: { place.lies(in: $0) }) {
            throw InterchangeError.usage("\(path) would lie in \(source)", hint: "choose another place")
        }
        guard arguments.has(OptionSpecification.force) else { return try refuseExisting(path) }
        if known.contains(where: { place.text == $0.text }) {
            throw InterchangeError.usage(
                "\(path) is what the new document is made of: it can't be written over itself",
                hint: "choose another name")
        }
        try refuseUnsavedWork(path)
    }

    private static func refuseExisting(_ path: String) throws {
        var status = stat()
        guard lstat(path, &status) != 0 else {
            throw InterchangeError(
                .cannotCreate, "exists", "there is something already", path: path,
                hint: "choose another name, or replace it with --force")
        }
    }

    /// Commands that change a document in place replace no file.
    static func refuseForceWithoutOutput(_ arguments: ParsedArguments, _ specification: CommandSpecification) throws {
        guard arguments.has(OptionSpecification.force), !arguments.has(OptionSpecification.output) else { return }
        throw InterchangeError.usage("--force goes with -o NEW", hint: specification.usage)
    }

    private static func refuseUnsavedWork(_ path: String) throws {
        // A file that is not a document has no unsaved work, and other obstacles to replacing it
        // are reported when it is written.
        guard let info = try? DocumentInfo(of: URL(fileURLWithPath: path), countsObjects: false),
            info.hasUnsavedChanges, info.lock == nil
        else { return }
        throw InterchangeError(
            .tryLater, "recoverable", "an editor that is gone left work in it that was never saved", path: path,
            hint: "recover keeps or discards it: folio recover \(ShellWord.quoted(path)) --list")
    }
}
