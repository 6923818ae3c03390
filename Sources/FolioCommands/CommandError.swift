import Foundation

/// A failure as a person reads it: `folio: <what failed>: <why>`, and what could help.
struct CommandError: Error {
    var exit: ExitCode
    /// A stable word for scripts.
    var code: String
    /// What was tried, such as `fetch`; nil where the reason says it all.
    var what: String?
    var why: String
    var path: String?
    var hint: String?
    /// Lines shown below the error, such as the text that does not parse with a caret under it.
    var excerpt: [String]
    var detail: JSONValue

    init(
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

    static func usage(_ why: String, hint: String? = nil) -> CommandError {
        CommandError(.usage, "usage", why, hint: hint)
    }

    /// For options and commands that are planned and that this version does not have.
    static func unavailable(_ feature: String) -> CommandError {
        CommandError(.unavailable, "unavailable", "\(feature) is not available in this version of folio")
    }

    static func notFound(_ why: String, path: String? = nil, hint: String? = nil) -> CommandError {
        CommandError(.notFound, "notFound", why, path: path, hint: hint)
    }

    static func malformed(_ why: String, path: String? = nil, hint: String? = nil) -> CommandError {
        CommandError(.malformed, "malformed", why, path: path, hint: hint)
    }

    /// Why a file can't be read as a document, whatever is done with it; nil for an error of
    /// another kind.
    var reasonForNoDocument: String? { [.malformed, .modelMismatch, .newer].contains(exit) ? why : nil }

    /// The path stands before the reason unless the reason names it; one below the current folder
    /// is shown from there.
    var line: String {
        var parts = ["folio"]
        if let what { parts.append(what) }
        if let path, let shortPath, !Self.names(path, in: why) { parts.append(shortPath) }
        parts.append(why)
        return parts.joined(separator: ": ")
    }

    /// Names the document that the command is about where the error names no file, and in the place
    /// of files that were written aside the one that they were to become.
    mutating func name(_ operand: String?, of specification: CommandSpecification) {
        if let known = path {
            path = Self.withoutTemporaries(known)
            why = why.replacing(known, with: path ?? known)
        }
        why = Self.withoutTemporaries(why)
        let isOfDocument =
            ![.usage, .interrupted, .software].contains(exit) && what == nil && specification.operands.hasPrefix("DOC")
        if path == nil, isOfDocument, let operand { path = DocumentArgument(operand).path }
    }

    /// Paths of what is written as `.NAME.tmp-UUID` or beneath it become those of NAME.
    private static func withoutTemporaries(_ text: String) -> String {
        text.replacing(/(^|\/)\.([^\/]+?)\.tmp-[0-9a-fA-F-]{36}(\/[^:]*)?/) { match in "\(match.1)\(match.2)" }
    }

    /// The path, from the current folder where it lies beneath that.
    var shortPath: String? {
        path.map { path in
            let here = FileManager.default.currentDirectoryPath + "/"
            return path.hasPrefix(here) ? String(path.dropFirst(here.count)) : path
        }
    }

    /// Whether a reason names a path as a word of its own: a short one may stand in any word.
    private static func names(_ path: String, in why: String) -> Bool {
        func isLetter(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber } ?? false }
        return why.ranges(of: path).contains { range in
            !isLetter(why[..<range.lowerBound].last) && !isLetter(why[range.upperBound...].first)
        }
    }

    var json: JSONValue {
        var error: [String: JSONValue] = ["code": .string(code), "message": .string(why), "detail": detail]
        error["path"] = path.map { .string($0) } ?? .null
        if let hint { error["hint"] = .string(hint) }
        return .object(["error": .object(error)])
    }
}
