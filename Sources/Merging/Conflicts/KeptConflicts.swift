package import Foundation

/// The list of conflicts of a document, among the application's own files: `extra/folio-merge/`,
/// since programs that do not know it carry it along there.
package struct KeptConflicts: Codable {
    static let format = 1

    var format = Self.format
    package var conflicts: [KeptConflict]

    /// Nil for no conflicts.
    package static func encoded(_ conflicts: [KeptConflict]) throws -> Data? {
        guard !conflicts.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return try encoder.encode(KeptConflicts(conflicts: conflicts))
    }

    /// - Throws: What decoding throws.
    package static func decoded(_ data: Data?) throws -> [KeptConflict] {
        guard let data else { return [] }
        return try JSONDecoder().decode(KeptConflicts.self, from: data).conflicts
    }
}
