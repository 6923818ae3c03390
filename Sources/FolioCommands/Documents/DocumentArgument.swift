import Folio
import Foundation

/// A `DOC` operand of the command line: a document, and optionally one of its states.
struct DocumentArgument {
    let path: String
    let state: DocumentState

    /// Parses a document to read: `DOC`, `DOC@n`, `DOC@saved` or `DOC@autosaved`. If a file with
    /// the whole text as its name exists, it is the document.
    init(_ text: String) {
        guard !FileManager.default.fileExists(atPath: text),
            let match = text.firstMatch(of: /(?s)^(.+)@(\d{1,18}|saved|autosaved)$/)
        else {
            path = text
            state = .newest
            return
        }
        path = String(match.1)
        state =
            switch match.2 {
            case "saved": .saved
            case "autosaved": .autosaved
            default: Int(match.2).map { .version($0) } ?? .newest
            }
    }

    /// The path of a document that is written, or whose files are examined.
    /// - Throws: A usage error for `DOC@n` and the like.
    static func path(_ text: String) throws -> String {
        let argument = DocumentArgument(text)
        guard argument.state == .newest else {
            throw CommandError.usage(
                "a version of a document is only read (\(text))",
                hint: "restore it, or write a copy: folio restore \(ShellWord.quoted(text)) -o NEW")
        }
        return argument.path
    }
}
