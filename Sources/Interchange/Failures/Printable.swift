/// Makes text from documents safe for display on a terminal.
package enum Printable {
    /// The text on one line, with control, formatting and bidirectional control characters escaped.
    package static func line(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        var shown = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
                // Joiners occur in ordinary words and emoji.
                if scalar.value == 0x200D || scalar.value == 0x200C {
                    shown.unicodeScalars.append(scalar)
                } else {
                    shown += escape(scalar)
                }
            default: shown.unicodeScalars.append(scalar)
            }
        }
        return shown
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{" + String(scalar.value, radix: 16) + "}"
        }
    }

    /// The number of terminal columns of a text: wide characters take two, combining characters
    /// none.
    package static func width(_ text: String) -> Int {
        if text.utf8.count == text.unicodeScalars.count { return text.utf8.count }
        return text.unicodeScalars.reduce(0) { $0 + width($1) }
    }

    /// Truncates a text that is wider than `room` and appends `…`.
    package static func shortened(_ text: String, to room: Int) -> String {
        guard width(text) > room else { return text }
        var shown = ""
        var width = 0
        for character in text {
            width += self.width(String(character))
            if width > room - 1 { break }
            shown.append(character)
        }
        return shown + "…"
    }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: break
        }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1FAFF,
            0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
