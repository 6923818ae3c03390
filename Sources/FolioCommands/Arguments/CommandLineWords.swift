import Folio
import Foundation

/// The words of the process, which may be no UTF-8 text where they name files.
enum CommandLineWords: Sendable {
    case text([String])
    /// What is printed of a file that git asks to be shown: a failure would end git's output for
    /// the other files.
    case shown([String])
    case refused(word: String)

    init(_ words: [UnsafeMutablePointer<CChar>]) {
        guard let foreign = words.first(where: { String(validatingCString: $0) == nil }) else {
            self = .text(words.map { String(cString: $0) })
            return
        }
        // Invalid bytes are replaced: good for messages, but no name of the file.
        let texts = words.map { String(cString: $0) }
        let reason = "not shown: its name is no UTF-8 text"
        let isBehindDashes = texts.dropFirst().drop { $0 != "--" }.dropFirst()
        switch texts.first {
        case "diff" where ProcessInfo.processInfo.environment["GIT_DIFF_PATH_COUNTER"] != nil:
            let operands = isBehindDashes.isEmpty ? texts.dropFirst().drop { $0.hasPrefix("-") } : isBehindDashes
            self = .shown(["--- \(Printable.line(operands.first ?? ""))", reason])
        case "export" where texts.contains("--textconv"):
            self = .shown([reason] + Self.summary(foreign))
        // Git's name of the document is only shown; the files that are merged have other names.
        case "merge" where texts.contains("--git") && Self.areText(words.dropLast()):
            self = .text(texts)
        default: self = .refused(word: String(cString: foreign))
        }
    }

    private static func areText(_ words: some Sequence<UnsafeMutablePointer<CChar>>) -> Bool {
        words.allSatisfy { String(validatingCString: $0) != nil }
    }

    /// What tells two versions of a file apart.
    private static func summary(_ path: UnsafeMutablePointer<CChar>) -> [String] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        return (try? file.readToEnd()).map { [DifferenceReport.text(.data($0))] } ?? []
    }
}
