import Foundation

/// A `DOC` of the command line.
enum DocumentArgument {
    /// The path that it means.
    /// - Throws: 69 for `DOC@n` and its like, unless a file has that very name.
    static func path(_ text: String) throws -> String {
        if text.contains(/@(\d+|saved|autosaved)$/), !FileManager.default.fileExists(atPath: text) {
            throw CommandError.unavailable("a document's earlier version (\(text))")
        }
        return text
    }
}
