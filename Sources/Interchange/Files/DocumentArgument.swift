package import Folio
import Foundation

/// A `DOC` operand of the command line: a document, and optionally one of its states.
package struct DocumentArgument {
    package let path: String
    package let state: DocumentState

    package init(path: String, state: DocumentState) {
        self.path = path
        self.state = state
    }

    /// Parses a document to read: `DOC`, `DOC@n`, `DOC@saved` or `DOC@autosaved`. If a file with
    /// the whole text as its name exists, it is the document.
    package init(_ text: String) {
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
    package static func path(_ text: String) throws -> String {
        let argument = DocumentArgument(text)
        guard argument.state == .newest else {
            throw InterchangeError.usage(
                "a version of a document is only read (\(text))",
                hint: "restore it, or write a copy: folio restore \(ShellWord.quoted(text)) -o NEW")
        }
        return argument.path
    }

    /// - Throws: `unsupported` for a URL, unless there is a file of that name.
    package static func refuseURL(_ text: String) throws {
        guard let match = text.prefixMatch(of: /([A-Za-z][A-Za-z0-9+.\-]*):\/\//),
            !FileManager.default.fileExists(atPath: text)
        else { return }
        let scheme = match.1.lowercased()
        if scheme == "file", let url = URL(string: text), url.isFileURL, !url.path.isEmpty {
            throw InterchangeError(
                .unavailable, "unsupported", "files are named by their path, not by a URL", path: text,
                hint: "give \(ShellWord.quoted(url.path))")
        }
        throw InterchangeError(
            .unavailable, "unsupported", "URLs are not supported: documents and models are files", path: text,
            hint: ["http", "https", "ftp"].contains(scheme) ? "download it, and give its path" : nil)
    }
}
