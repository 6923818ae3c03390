internal import Foundation

/// The rules for entry names. A valid name identifies one file beneath the target folder, on every
/// system and for every reader.
enum EntryName {
    /// The reason why a name is rejected; nil for a valid name.
    static func objection(to name: String, _ limits: ArchiveLimits) -> String? {
        if name.isEmpty { return "an empty name" }
        if name.utf8.count > limits.nameBytes { return "a name of more than \(limits.nameBytes) bytes" }
        if name.hasPrefix("/") { return "an absolute name" }
        if name.utf8.contains(UInt8(ascii: "\\")) { return "a backslash in the name" }
        let letters = Array(name.utf8.prefix(2))
        if letters.count == 2, letters[1] == UInt8(ascii: ":") { return "a drive letter in the name" }
        let isASCII = name.utf8.allSatisfy { $0 < 0x80 }
        // Looking up the category of a character takes long.
        if isASCII
            ? name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) : name.unicodeScalars.contains(where: isUnreadable)
        {
            return "control or direction characters in the name"
        }
        var parts = name.split(separator: "/", omittingEmptySubsequences: false)
        // The name of a folder entry ends with a slash.
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

    /// A key that is equal for names that some file system treats as the same.
    static func folded(_ name: some StringProtocol) -> String {
        if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.lowercased() }
        return name.precomposedStringWithCompatibilityMapping.folding(options: .caseInsensitive, locale: nil)
    }

    private static func isUnreadable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
