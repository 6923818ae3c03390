/// Splits text into words for full-text search. The indexes of stores contain exactly these words,
/// so that an index and a search in memory agree.
///
/// 1. A word is a maximal run of letters, digits and the marks that belong to them (Unicode
///    categories L, N, M and private use). All other characters separate words.
/// 2. Words are compared after folding case and diacritics (``TextFolding``): `Désert` is `desert`.
///    Folding may produce other ASCII characters than letters and digits; these are removed.
/// 3. Only the first 256 characters of a longer word count.
enum TextWords {
    private static let longest = 256

    static func words(of text: String) -> [String] {
        isASCII(text) ? asciiWords(text) : unicodeWords(text)
    }

    /// The words separated by single spaces, which is the form that indexes store.
    static func joined(_ text: String) -> String {
        words(of: text).joined(separator: " ")
    }

    private static func isASCII(_ text: String) -> Bool { text.utf8.allSatisfy { $0 < 0x80 } }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
    }

    private static func asciiWords(_ text: String) -> [String] {
        text.utf8.split { !isPlain($0) }.map { word in
            String(decoding: word.prefix(longest).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        }
    }

    private static func unicodeWords(_ text: String) -> [String] {
        text.unicodeScalars.split { !belongs($0) }.compactMap { run in
            let folded = TextFolding.canonical(String(String.UnicodeScalarView(run)))
            var word = String.UnicodeScalarView()
            for scalar in folded.unicodeScalars where scalar.value >= 0x80 || isPlain(UInt8(scalar.value)) {
                word.append(scalar)
            }
            return word.isEmpty ? nil : String(String.UnicodeScalarView(word.prefix(longest)))
        }
    }

    private static func belongs(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 0x80 { return isPlain(UInt8(scalar.value)) }
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
            .letterNumber, .otherNumber, .nonspacingMark,
            .spacingMark, .enclosingMark, .privateUse:
            return true
        default: return false
        }
    }
}
