internal import Foundation

/// The rules for names of entries: what a name may be so that it means one plain file beneath the
/// folder, on every system and to every reader.
enum EntryName {
    /// Why a name is refused; nil for a good one.
    static func objection(to name: String, _ limits: ArchiveLimits) -> String? {
        if name.isEmpty { return "an empty name" }
        if name.utf8.count > limits.nameBytes { return "a name of more than \(limits.nameBytes) bytes" }
        if name.hasPrefix("/") { return "an absolute name" }
        if name.utf8.contains(UInt8(ascii: "\\")) { return "a backslash in the name" }
        let letters = Array(name.utf8.prefix(2))
        if letters.count == 2, letters[1] == UInt8(ascii: ":") { return "a drive letter in the name" }
        if name.unicodeScalars.contains(where: isUnreadable) { return "control or direction characters in the name" }
        var parts = name.split(separator: "/", omittingEmptySubsequences: false)
        // A folder's own entry ends in a slash.
        if parts.last?.isEmpty == true { parts.removeLast() }
        if parts.count > limits.depth { return "nested deeper than \(limits.depth) folders" }
        for part in parts {
            if part.isEmpty || part == "." || part == ".." { return "a name that leads elsewhere" }
            if part.utf8.count > limits.componentBytes {
                return "a part of the name of more than \(limits.componentBytes) bytes"
            }
        }
        return nil
    }

    /// What is equal for two names that some file system would take for one.
    static func folded(_ name: some StringProtocol) -> String {
        name.precomposedStringWithCompatibilityMapping.folding(options: .caseInsensitive, locale: nil)
    }

    private static func isUnreadable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
