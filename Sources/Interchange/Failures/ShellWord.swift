/// A word of a command line as the shell passes it to completion: with quotes and backslashes, and
/// possibly incomplete.
package struct ShellWord: Sendable {
    package let raw: String
    /// The word without quotes and backslashes. `~/` at the beginning is replaced by the home
    /// folder.
    package let text: String

    package init(_ raw: String, home: String?) {
        self.raw = raw
        var text = "", quote: Character?, isEscaped = false
        var rest = raw[...]
        if let home, rest.hasPrefix("~/") {
            text = home
            rest = rest.dropFirst()
        }
        for character in rest {
            if isEscaped {
                isEscaped = false
                text.append(character)
            } else if character == "\\", quote != "'" {
                isEscaped = true
            } else if character == quote {
                quote = nil
            } else if quote == nil, character == "'" || character == "\"" {
                quote = character
            } else {
                text.append(character)
            }
        }
        self.text = text
    }

    /// Creates a word without shell syntax.
    package init(plain text: String) {
        raw = text
        self.text = text
    }

    /// A path as a word of a command that can be pasted into a shell: in quotes where it needs
    /// them, and no option.
    package static func quoted(_ path: String) -> String {
        let isPlain = path.utf8.allSatisfy {
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || UInt8(ascii: "+")...UInt8(ascii: ":") ~= $0
                || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "%") || $0 >= 0x80
        }
        let path = path.hasPrefix("-") && path != "-" ? "./" + path : path
        return isPlain && !path.isEmpty ? path : "'" + path.replacing("'", with: "'\\''") + "'"
    }

    /// `text` with backslashes before the characters that a shell would interpret.
    package static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if character.isASCII, !character.isLetter, !character.isNumber, !"_-./@=,:+%".contains(character) {
                result.append("\\")
            }
            result.append(character)
        }
    }
}
