import Foundation

/// The exit code of the command, from sysexits(3) and common conventions.
package struct ExitCode: RawRepresentable, Sendable, Hashable {
    package let rawValue: Int32
    package init(rawValue: Int32) { self.rawValue = rawValue }

    package static let done = ExitCode(rawValue: 0)
    /// A negative answer: damage or differences were found.
    package static let no = ExitCode(rawValue: 1)
    package static let usage = ExitCode(rawValue: 64)
    /// The data or the document is malformed.
    package static let malformed = ExitCode(rawValue: 65)
    /// There is no such document or object.
    package static let notFound = ExitCode(rawValue: 66)
    package static let unavailable = ExitCode(rawValue: 69)
    /// An internal error of the program.
    package static let software = ExitCode(rawValue: 70)
    package static let cannotCreate = ExitCode(rawValue: 73)
    package static let inputOutput = ExitCode(rawValue: 74)
    /// The document is locked or was changed meanwhile. A later attempt may succeed.
    package static let tryLater = ExitCode(rawValue: 75)
    /// The document has a newer format than this program supports.
    package static let newer = ExitCode(rawValue: 76)
    package static let permission = ExitCode(rawValue: 77)
    /// The document has another model.
    package static let modelMismatch = ExitCode(rawValue: 78)
    package static let interrupted = ended(by: SIGINT)
    /// The reader of the output has closed the pipe.
    package static let pipeClosed = ended(by: SIGPIPE)
    /// The exit code that shells report for a process that a signal has ended.
    package static func ended(by signal: Int32) -> ExitCode { ExitCode(rawValue: 128 + signal) }
}

extension ExitCode {
    /// The meanings of the exit codes for the help: a short form and a sentence.
    package static let meanings: [(code: ExitCode, short: String, long: String)] = [
        (.done, "done", "Done."),
        (
            .no, "no",
            "The answer is no: verify found damage, diff found differences, repair could not save all, a migration can't be inferred."
        ),
        (.usage, "usage", "The command line is not understood, or names an entity or key that there is not."),
        (.malformed, "malformed", "The data or the document is malformed, or a rule of the model is violated."),
        (.notFound, "not found", "There is no such document, version or object."),
        (.unavailable, "unavailable", "The feature is not there, or not for this kind of document."),
        (.software, "internal error", "An error of the program itself."),
        (.cannotCreate, "can't create", "An output file can't be created, or is there already."),
        (.inputOutput, "I/O error", "Reading or writing failed: the disk is full, or broken."),
        (
            .tryLater, "locked",
            "The document is locked, changed meanwhile, or has work that was never saved: try again later, or see folio recover."
        ),
        (.newer, "newer than this program", "The document is newer than this program."),
        (.permission, "permission", "Permission is denied."),
        (
            .modelMismatch, "other model",
            "The model is missing or is another: see folio migrate, or give one with --model."
        ),
        (.interrupted, "interrupted", "Ctrl-C ended the command, which left the document as it was."),
    ]
}
