package import Coding
import Foundation

/// A failure in the form that is shown to people: `folio: <what failed>: <why>`, and a hint.
package struct CommandError: Error {
    package var exit: ExitCode
    /// A stable identifier for scripts.
    package var code: String
    /// The failed operation, such as `fetch`; nil if the reason is sufficient.
    var what: String?
    package var why: String
    package var path: String?
    /// Whether the path is as it was typed, and shown so.
    private var isTyped = false
    package var hint: String?
    /// Lines shown below the error, such as the invalid text with a caret under it.
    package var excerpt: [String]
    package var detail: JSONValue

    package init(
        _ exit: ExitCode, _ code: String, what: String? = nil, _ why: String, path: String? = nil, hint: String? = nil,
        excerpt: [String] = [],
        detail: JSONValue = .object([:])
    ) {
        self.exit = exit
        self.code = code
        self.what = what
        self.why = why
        self.path = path
        self.hint = hint
        self.excerpt = excerpt
        self.detail = detail
    }

    package static func usage(_ why: String, hint: String? = nil) -> CommandError {
        CommandError(.usage, "usage", why, hint: hint)
    }

    /// The user has ended the pager before the end of the output, which is no failure.
    static let pagerClosed = CommandError(.done, "pagerClosed", "the pager is closed")

    package static func notFound(_ why: String, path: String? = nil, hint: String? = nil) -> CommandError {
        CommandError(.notFound, "notFound", why, path: path, hint: hint)
    }

    static func malformed(_ why: String, path: String? = nil, hint: String? = nil) -> CommandError {
        CommandError(.malformed, "malformed", why, path: path, hint: hint)
    }

    /// The reason why a file can't be read as a document; nil for other kinds of errors.
    var reasonForNoDocument: String? { [.malformed, .modelMismatch, .newer].contains(exit) ? why : nil }

    /// The error as one line. The path precedes the reason unless the reason contains it. A path
    /// that was not typed is shown as a relative path if it is below the current folder.
    var line: String {
        var parts = ["folio"]
        if let what { parts.append(what) }
        if let path, let shortPath, !Self.names(path, in: why) { parts.append(shortPath) }
        parts.append(why)
        return parts.joined(separator: ": ")
    }

    /// Adds the path of the command's document if the error has no path, and replaces the paths of
    /// temporary files with those of the files that they replace, and other paths with the typed
    /// ones.
    mutating func name(_ arguments: ParsedArguments, of specification: CommandSpecification) {
        hideTemporaryFolders()
        if let known = path {
            path = Self.withoutTemporaries(known)
            why = why.replacing(known, with: path ?? known)
        }
        why = Self.withoutTemporaries(why)
        let isOfDocument =
            (![.usage, .interrupted, .software].contains(exit) || Self.codesOfModel.contains(code)) && what == nil
            && specification.operands.hasPrefix("DOC")
        if path == nil, isOfDocument, let operand = arguments.operands.first { path = DocumentArgument(operand).path }
        showTyped(TypedPaths(arguments.typedPaths(of: specification)))
    }

    /// The codes of usage errors that depend on the document's model.
    private static let codesOfModel = ["unknownKey", "unknownEntity"]

    /// Shows paths as they were typed.
    mutating func showTyped(_ typed: TypedPaths) {
        why = typed.text(why)
        guard let known = path, let shown = typed.path(known) else { return }
        path = shown
        isTyped = true
    }

    /// Whether a path is that of a copy which a command makes for a moment, or lies within it.
    /// Other files and folders of the temporary folder are the user's.
    static func isTemporaryCopy(_ path: String) -> Bool {
        let start = FileManager.default.temporaryDirectory.path + "/folio-"
        return path.hasPrefix(start)
            && path.dropFirst(start.count).prefixMatch(of: /(migration-)?(\d+-)?[0-9a-fA-F-]{36}(\/|$)/) != nil
    }

    /// Removes paths in the folders where copies are made for a moment: nobody can look there
    /// later. Where there is no room for them, or no right, the place of such folders is named.
    mutating func hideTemporaryFolders() {
        let place = FileManager.default.temporaryDirectory.path, start = place + "/folio-"
        guard FileManager.default.fileExists(atPath: place) else { return }
        let isOfPlace = [.inputOutput, .permission, .cannotCreate].contains(exit)
        let name = isOfPlace ? place : "a temporary copy"
        if let known = path, Self.isTemporaryCopy(known) {
            why = why.replacing(known, with: name)
            path = isOfPlace ? place : nil
        }
        for part in [start + "migration-", start] {
            while let range = why.range(of: part),
                let end = why[range.upperBound...].firstMatch(of: /^(\d+-)?[0-9a-fA-F-]{36}(\/[^\s:”"']*)?/)
            {
                why.replaceSubrange(range.lowerBound..<end.range.upperBound, with: name)
            }
        }
    }

    /// Replaces paths of the form `.NAME.tmp-UUID`, or beneath it, with those of NAME.
    private static func withoutTemporaries(_ text: String) -> String {
        text.replacing(/(^|\/)\.([^\/]+?)\.tmp-[0-9a-fA-F-]{36}(\/[^:]*)?/) { match in "\(match.1)\(match.2)" }
    }

    /// The path, as typed or relative to the current folder if it is beneath it.
    var shortPath: String? {
        if isTyped { return path }
        return path.map { path in
            let here = FileManager.default.currentDirectoryPath + "/"
            return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
        }
    }

    /// Whether a reason contains a path as a separate word. A short path could also be part of
    /// another word.
    private static func names(_ path: String, in why: String) -> Bool {
        func isLetter(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber } ?? false }
        return why.ranges(of: path).contains { range in
            !isLetter(why[..<range.lowerBound].last) && !isLetter(why[range.upperBound...].first)
        }
    }

    package var json: JSONValue {
        var error: [String: JSONValue] = ["code": .string(code), "message": .string(why), "detail": detail]
        error["path"] = path.map { .string($0) } ?? .null
        if let hint { error["hint"] = .string(hint) }
        return .object(["error": .object(error)])
    }
}
