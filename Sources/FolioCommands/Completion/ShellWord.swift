/// A word of a command line as a shell hands it to completion: with its quotes and backslashes, and
/// perhaps not finished.
struct ShellWord: Sendable {
    let raw: String
    /// Without quotes and backslashes; `~/` at the beginning is the home folder.
    let text: String

    init(_ raw: String, home: String?) {
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

    /// A word that is no shell's any more.
    init(plain text: String) {
        raw = text
        self.text = text
    }

    /// `text` with a backslash before whatever a shell would not leave as it is.
    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if character.isASCII, !character.isLetter, !character.isNumber, !"_-./@=,:+%".contains(character) {
                result.append("\\")
            }
            result.append(character)
        }
    }
}
