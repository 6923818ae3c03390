import Foundation

/// How `[c]` and `[d]` make texts equal. Stores register these functions, so that SQL and memory
/// agree.
///
/// The published rule. `fold` is idempotent, and two texts are equal under options if their folds
/// are equal by code units.
/// 1. `[d]`: the text is decomposed canonically (NFD); non-spacing marks (category Mn) with a
///    canonical combining class of 10 or more are dropped; the rest is composed again (NFC). These
///    are the accents of Latin, Greek and Cyrillic, Hebrew points and Arabic vowel signs. Marks of
///    other classes make other letters and stay: strokes and overlays (class 1), nuktas (7), kana
///    voicing marks (8), viramas (9) and the vowel signs of Indic scripts (0). Letters without a
///    decomposition, such as ø, ł, đ and ı, stay themselves.
/// 2. `[c]`: every scalar by its full lowercase mapping, then uppercase, then lowercase, whatever
///    stands beside it: ß, ẞ and ss are equal, so are σ, ς and Σ. The exception is ı (U+0131),
///    which stays itself instead of becoming i. No language is special.
/// 3. `[cd]`: the first, then the second.
/// 4. `[n]`: nothing, whatever the other options say: both sides are folded already.
/// 5. `[l]`: Foundation's folding in the current locale instead of 1 and 2.
/// 6. Neither `[c]` nor `[d]`: nothing. Differently composed texts differ, as in SQLite, although
///    Swift calls them equal.
package enum TextFolding {
    package static func fold(_ text: String, options: ComparisonPredicate.Options) -> String {
        let options = effective(options)
        if options.contains(.localeSensitive) { return localizedFold(text, options: options) }
        if options.isEmpty { return text }
        if isASCII(text) {
            guard options.contains(.caseInsensitive) else { return text }
            return String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
        }
        var result = text
        if options.contains(.diacriticInsensitive) { result = withoutMarks(result) }
        if options.contains(.caseInsensitive) { result = caseFold(result) }
        return result
    }

    /// The options that remain when `[n]` has done its work.
    package static func effective(_ options: ComparisonPredicate.Options) -> ComparisonPredicate.Options {
        options.contains(.normalized) ? [] : options
    }

    /// `canonical:` is folding by case and diacritics.
    package static func canonical(_ text: String) -> String {
        fold(text, options: [.caseInsensitive, .diacriticInsensitive])
    }

    private static func caseFold(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar.value < 0x80 {
                result.append((0x41...0x5A).contains(scalar.value) ? UnicodeScalar(UInt8(scalar.value) | 0x20) : scalar)
                continue
            }
            if scalar.value == 0x131 {
                result.append(scalar)
                continue
            }
            for lower in scalar.properties.lowercaseMapping.unicodeScalars {
                for upper in lower.properties.uppercaseMapping.unicodeScalars {
                    result.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
                }
            }
        }
        return String(result)
    }

    private static func withoutMarks(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
            if scalar.value >= 0x300, scalar.properties.canonicalCombiningClass.rawValue >= 10,
                scalar.properties.generalCategory == .nonspacingMark
            {
                continue
            }
            result.append(scalar)
        }
        return String(result).precomposedStringWithCanonicalMapping
    }

    private static func localizedFold(_ text: String, options: ComparisonPredicate.Options) -> String {
        var foundation: String.CompareOptions = []
        if options.contains(.caseInsensitive) { foundation.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { foundation.insert(.diacriticInsensitive) }
        return foundation.isEmpty ? text : text.folding(options: foundation, locale: .current)
    }

    private static func isASCII(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 < 0x80 }
    }
}
