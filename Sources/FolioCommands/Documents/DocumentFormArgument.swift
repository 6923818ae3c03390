import Folio
import Foundation

/// The options that say in which form a document is written.
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

    /// The form in which a new document is written: what `--archive`, `--package` or `--store KIND`
    /// says, else what its extension does. An option that contradicts the extension is followed and
    /// noted.
    static func form(_ arguments: ParsedArguments, of path: String, _ console: Console) -> DocumentForm {
        let usual = defaultForm(of: path)
        guard let chosen = chosen(arguments) else { return usual ?? .package }
        if let usual, usual != chosen {
            console.say(
                "note: \(Printable.line(path)) is written as \(Self.name(of: chosen)), which its extension does not say"
            )
        }
        return chosen
    }

    /// The form of a document that is there; nil where nothing shows it.
    static func form(ofDocumentAt path: String) -> DocumentForm? {
        (try? DetectedDocument(path)).map { DocumentForm($0.kind, $0.storeType) }
    }

    /// What there is to be known of a document of a form that has no place for its model.
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

    /// The form that the extension of a path says; nil where it says none.
    static func defaultForm(of path: String) -> DocumentForm? {
        switch URL(fileURLWithPath: path).pathExtension.lowercased() {
        case "folio": .package
        case "folioz": .archive
        case "sqlite", "storedata": .store
        case "xml": .xmlStore
        default: nil
        }
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

    /// Refuses what stands in the place of a new document; with `--force` only a document that an
    /// editor left unsaved work in.
    /// - Parameter source: The document that the new one is made of, or the model: the new one must
    ///   neither lie in it nor take its place.
    static func refuseExisting(_ path: String, of source: String, _ arguments: ParsedArguments) throws {
        let place = ResolvedPath(path),
            known = [DocumentArgument(source).path, ModelReference(source).url.path].map { ResolvedPath($0) }
        // What others know nothing of is gone when they replace the document.
        if known.contains(where: { place.lies(in: $0) }) {
            throw CommandError.usage("\(path) would lie in \(source)", hint: "choose another place")
        }
        guard arguments.has(OptionSpecification.force) else { return try refuseExisting(path) }
        if known.contains(where: { place.text == $0.text }) {
            throw CommandError.usage(
                "\(path) is what the new document is made of: it can't be written over itself",
                hint: "choose another name")
        }
        try refuseUnsavedWork(path)
    }

    private static func refuseExisting(_ path: String) throws {
        var status = stat()
        guard lstat(path, &status) != 0 else {
            throw CommandError(
                .cannotCreate, "exists", "there is something already", path: path,
                hint: "choose another name, or replace it with --force")
        }
    }

    /// What a command does in place replaces nothing.
    static func refuseForceWithoutOutput(_ arguments: ParsedArguments, _ specification: CommandSpecification) throws {
        guard arguments.has(OptionSpecification.force), !arguments.has(OptionSpecification.output) else { return }
        throw CommandError.usage("--force goes with -o NEW", hint: specification.usage)
    }

    private static func refuseUnsavedWork(_ path: String) throws {
        // What is no document has none, and what can't be replaced is refused by the writing.
        guard let info = try? DocumentInfo(of: URL(fileURLWithPath: path), countsObjects: false),
            info.hasUnsavedChanges, info.lock == nil
        else { return }
        throw CommandError(
            .tryLater, "recoverable", "an editor that is gone left work in it that was never saved", path: path,
            hint: "recover keeps or discards it: folio recover \(path) --list")
    }
}
