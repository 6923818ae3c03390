import Folio
import Foundation

/// Hints that name the next command.
extension CommandError {
    /// Adds a hint with a command that helps, unless the error has one.
    /// - Parameter command: The command that failed, which is not suggested.
    mutating func addHint(after command: String?) {
        switch code {
        case "recoverable": hint = "folio recover \(shownPath) --list tells of it, --keep and --discard settle it"
        case "permission" where isWriteProtected, "readOnly" where isWriteProtected:
            hint = "make it writable: chmod u+w \(shownPath)"
        case "modelMismatch" where hint == nil:
            hint =
                "give the model that it was made with (--model MODEL), or bring it to another version: folio migrate \(shownPath) --model MODEL"
        case "malformed" where isOfDocument && hint == nil, "damaged" where isOfDocument && hint == nil:
            if command != "repair" {
                hint =
                    (command == "verify" ? "" : "folio verify \(shownPath) says what is damaged; ")
                    + "folio repair \(shownPath) -o NEW saves what can be read"
            }
        default: break
        }
    }

    /// The path as a shell word; `DOC` if there is none.
    private var shownPath: String {
        guard let path = shortPath else { return "DOC" }
        let isPlain = path.utf8.allSatisfy {
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || UInt8(ascii: "+")...UInt8(ascii: "9") ~= $0
                || $0 == UInt8(ascii: "_") || $0 >= 0x80
        }
        return isPlain ? path : "'" + path.replacing("'", with: "'\\''") + "'"
    }

    /// Whether the file belongs to this user and is write-protected.
    private var isWriteProtected: Bool {
        var status = stat()
        guard let path, stat(path, &status) == 0 else { return false }
        return status.st_mode & S_IWUSR == 0 && (status.st_uid == getuid() || getuid() == 0)
    }

    /// Whether the path is a document, damaged or not.
    private var isOfDocument: Bool {
        path.map { !DetectedDocument.leadsOut($0) && (try? DetectedDocument($0)) != nil } ?? false
    }
}
