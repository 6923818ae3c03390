import Folio
import Foundation

/// A `DOC` of the command line: a document, and perhaps which of its states.
struct DocumentArgument {
    let path: String
    let state: DocumentState

    /// A document that is read: `DOC`, `DOC@n`, `DOC@saved` or `DOC@autosaved`. A file that has the
    /// whole text for a name is meant by it.
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

    /// The path of a document that is written, or looked at as the files it is.
    /// - Throws: a usage error for `DOC@n` and its like.
    static func path(_ text: String) throws -> String {
        let argument = DocumentArgument(text)
        guard argument.state == .newest else {
            throw CommandError.usage(
                "a version of a document is only read (\(text))",
                hint: "restore it, or write a copy: folio restore \(text) -o NEW")
        }
        return argument.path
    }
}
