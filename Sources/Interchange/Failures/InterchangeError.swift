package import Coding
public import Foundation

/// A failure of an import, an export or a comparison, in the words of the `folio` command.
///
/// ```swift
/// do { try document.importObjects(from: url) } catch let error as InterchangeError {
///     print(error.code, error.message)
/// }
/// ```
public struct InterchangeError: Error {
    package var exit: ExitCode
    /// A stable word for the failure, such as `malformed` or `unknownEntity`, as commands print it
    /// with `--json`.
    public package(set) var code: String
    /// The failed operation, such as `fetch`; nil if the reason is sufficient.
    package var what: String?
    /// The reason, for people. It begins with the line where a file is malformed.
    public package(set) var message: String
    /// The path of the file or document; nil if the failure concerns none.
    public package(set) var path: String?
    /// Whether the path is as it was typed, and shown so.
    package var isTyped = false
    /// What can be done; nil if there is nothing to say.
    public package(set) var hint: String?
    /// Lines shown below the error, such as the invalid text with a caret under it.
    package var excerpt: [String]
    package var detail: JSONValue

    package init(
        _ exit: ExitCode, _ code: String, what: String? = nil, _ message: String, path: String? = nil,
        hint: String? = nil,
        excerpt: [String] = [],
        detail: JSONValue = .object([:])
    ) {
        self.exit = exit
        self.code = code
        self.what = what
        self.message = message
        self.path = path
        self.hint = hint
        self.excerpt = excerpt
        self.detail = detail
    }

    package static func usage(_ message: String, hint: String? = nil) -> InterchangeError {
        InterchangeError(.usage, "usage", message, hint: hint)
    }

    /// The user has ended the pager before the end of the output, which is no failure.
    package static let pagerClosed = InterchangeError(.done, "pagerClosed", "the pager is closed")

    package static func notFound(_ message: String, path: String? = nil, hint: String? = nil) -> InterchangeError {
        InterchangeError(.notFound, "notFound", message, path: path, hint: hint)
    }

    package static func malformed(_ message: String, path: String? = nil, hint: String? = nil) -> InterchangeError {
        InterchangeError(.malformed, "malformed", message, path: path, hint: hint)
    }

    package var json: JSONValue {
        var error: [String: JSONValue] = ["code": .string(code), "message": .string(message), "detail": detail]
        error["path"] = path.map { .string($0) } ?? .null
        if let hint { error["hint"] = .string(hint) }
        return .object(["error": .object(error)])
    }
}

extension InterchangeError: CustomStringConvertible, LocalizedError {
    /// The path and the reason.
    public var description: String {
        path.map { message.contains($0) ? message : "\($0): \(message)" } ?? message
    }

    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }

    /// The hint.
    public var recoverySuggestion: String? { hint }
}
