import Folio
import Foundation

/// Hints that name the next command.
extension InterchangeError {
    /// Adds a hint with a command that helps, unless the error has one.
    /// - Parameter command: The command that failed, which is not suggested.
    mutating func addHint(after command: String?) {
        switch code {
        case "migration" where hint == nil && command == "migrate" && !excerpt.isEmpty:
            hint =
                "give a mapping model of the application with --mapping, or a MODEL that has the versions in between; folio model diff OLD NEW says what the model's author can do"
        case "policy" where hint == nil && command == "migrate": hint = MigrateCommand.policyHint
        case "recoverable": hint = "folio recover \(shownPath) --list tells of it, --keep and --discard settle it"
        case "permission" where isWriteProtected, "readOnly" where isWriteProtected:
            hint = "make it writable: chmod u+w \(shownPath)"
        case "modelMismatch" where isOfTarget(command), "noModel" where isOfTarget(command):
            hint = "give a MODEL that has the version that the store was made with among its versions"
        case "modelMismatch" where hint == nil && isOfStoreWithoutModel:
            hint =
                "the store carries no model: give the version that it was made with (--model MODEL), or rebuild that from the store; folio model hash MODEL prints what has to be the same"
        case "modelMismatch" where hint == nil:
            hint =
                "give the model that it was made with (--model MODEL), or bring it to another version: folio migrate \(shownPath) --model MODEL"
        case "malformed" where isOfForeignDatabase, "notAStore" where isOfForeignDatabase:
            code = "notAStore"
            hint =
                hint ?? "folio opens the stores of Core Data; rows of other databases come in as CSV: folio help import"
        case "malformed" where hint == nil, "damaged" where hint == nil:
            if command != "repair", let document = shortPath.flatMap({ DetectedDocument.document(around: $0) }) {
                let word = ShellWord.quoted(document)
                hint =
                    (command == "verify" ? "" : "folio verify \(word) says what is damaged; ")
                    + "folio repair \(word) -o NEW saves what can be read"
            }
        case "notFound" where hint == nil:
            if let name = shortPath?.wholeMatch(of: /(?s)(.+)@[^@\/]*/)?.1, (try? DetectedDocument(String(name))) != nil
            {
                hint =
                    "a state of a document is \(ShellWord.quoted(String(name)))@n, with a number that folio versions lists, @saved or @autosaved"
            }
        default: break
        }
    }

    /// The path as a shell word; `DOC` if there is none.
    private var shownPath: String { shortPath.map { ShellWord.quoted($0) } ?? "DOC" }

    /// Whether the hint asks for the store's model with the option by which `migrate` takes the
    /// version to migrate to.
    private func isOfTarget(_ command: String?) -> Bool { command == "migrate" && hint == Self.modelHint }

    /// Whether the error concerns a store that carries no model, which can't be migrated without it
    /// either.
    private var isOfStoreWithoutModel: Bool {
        path.map { DocumentInfo.carriesNoModel(URL(fileURLWithPath: $0)) } ?? false
    }

    /// Whether the error concerns a sound SQLite database that is no store.
    private var isOfForeignDatabase: Bool { path.map { DetectedDocument.isForeignDatabase($0) } ?? false }

    /// Whether the file belongs to this user and is write-protected.
    private var isWriteProtected: Bool {
        var status = stat()
        guard let path, stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IWUSR == 0 && (status.st_uid == getuid() || getuid() == 0)
    }
}
