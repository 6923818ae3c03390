import Foundation

/// What each hostile document is answered with: `DocumentSamples/Hostile/expected.tsv`, a line for
/// each command on each document.
struct HostileTable {
    struct Row: Sendable, CustomStringConvertible {
        let document: String
        /// The words of the command; `DOC` stands for the document, % for a space within a word.
        let command: [String]
        let exit: Int32
        /// Part of what the command says.
        let fragment: String

        var description: String { "\(document): \(command.joined(separator: " "))" }
    }

    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appendingPathComponent("DocumentSamples/Hostile")
    static let fileName = "expected.tsv"

    /// The rows; lines that begin with # are for people.
    static func rows() throws -> [Row] {
        try String(contentsOf: folder.appendingPathComponent(fileName), encoding: .utf8).split(separator: "\n").filter {
            !$0.hasPrefix("#")
        }.map { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 4, let exit = Int32(fields[2]) else {
                throw RawDatabase.Failure(description: "a broken line: \(line)")
            }
            return Row(
                document: fields[0],
                command: fields[1].split(separator: " ").map { String($0).replacing("%", with: " ") }, exit: exit,
                fragment: fields[3])
        }
    }

    /// The documents in the folder, without what belongs to another or lies outside all.
    static func documents() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0 != fileName && !$0.hasPrefix("outside") && !$0.hasSuffix("-journal")
        }.sorted()
    }
}
