package import Coding
import Foundation

/// A failure in the form that is shown to people: `folio: <what failed>: <why>`, and a hint.
package struct CommandError: Error {
    package var exit: ExitCode
    /// A stable identifier for scripts.
    package var code: String
    /// The failed operation, such as `fetch`; nil if the reason is sufficient.
    package var what: String?
    package var why: String
    package var path: String?
    /// Whether the path is as it was typed, and shown so.
    package var isTyped = false
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

    package static func notFound(_ why: String, path: String? = nil, hint: String? = nil) -> CommandError {
        CommandError(.notFound, "notFound", why, path: path, hint: hint)
    }

    package static func malformed(_ why: String, path: String? = nil, hint: String? = nil) -> CommandError {
        CommandError(.malformed, "malformed", why, path: path, hint: hint)
    }

    package var json: JSONValue {
        var error: [String: JSONValue] = ["code": .string(code), "message": .string(why), "detail": detail]
        error["path"] = path.map { .string($0) } ?? .null
        if let hint { error["hint"] = .string(hint) }
        return .object(["error": .object(error)])
    }
}
