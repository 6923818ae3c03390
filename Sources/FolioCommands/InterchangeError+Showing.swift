import Foundation

/// An error as a command shows it.
extension InterchangeError {
    /// The reason why a file can't be read as a document; nil for other kinds of errors.
    var reasonForNoDocument: String? { [.malformed, .modelMismatch, .newer].contains(exit) ? message : nil }

    /// The error as one line. The path precedes the reason unless the reason contains it. A path
    /// that was not typed is shown as a relative path if it is below the current folder.
    var line: String {
        var parts = ["folio"]
        if let what { parts.append(what) }
        if let path, let shortPath, !Self.names(path, in: message) { parts.append(shortPath) }
        parts.append(message)
        return parts.joined(separator: ": ")
    }

    /// Adds the path of the command's document if the error has no path, and replaces the paths of
    /// temporary files with those of the files that they replace, and other paths with the typed
    /// ones.
    mutating func name(_ arguments: ParsedArguments, of specification: CommandSpecification) {
        hideTemporaryFolders()
        if let known = path {
            path = Self.withoutTemporaries(known)
            message = message.replacing(known, with: path ?? known)
        }
        message = Self.withoutTemporaries(message)
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
        message = typed.text(message)
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
            message = message.replacing(known, with: name)
            path = isOfPlace ? place : nil
        }
        for part in [start + "migration-", start] {
            while let range = message.range(of: part),
                let end = message[range.upperBound...].firstMatch(of: /^(\d+-)?[0-9a-fA-F-]{36}(\/[^\s:”"']*)?/)
            {
                message.replaceSubrange(range.lowerBound..<end.range.upperBound, with: name)
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
    private static func names(_ path: String, in message: String) -> Bool {
        func isLetter(_ character: Character?) -> Bool { character.map { $0.isLetter || $0.isNumber } ?? false }
        return message.ranges(of: path).contains { range in
            !isLetter(message[..<range.lowerBound].last) && !isLetter(message[range.upperBound...].first)
        }
    }
}
