import Foundation

/// The folding of text for the options `[c]` and `[d]`. Stores register these functions with
/// SQLite, so that SQL and the evaluation in memory agree.
///
/// `fold` is idempotent, and two texts are equal under options if their folds have the same code
/// units. The rules:
/// 1. `[d]`: the text is decomposed canonically (NFD), non-spacing marks (category Mn) with a
///    canonical combining class of 10 or more are removed, and the rest is composed again (NFC).
///    The removed marks are the accents of Latin, Greek and Cyrillic, Hebrew points and Arabic
///    vowel signs. Marks of other classes make a different letter and are kept: strokes and
///    overlays (class 1), nuktas (7), kana voicing marks (8), viramas (9) and the vowel signs of
///    Indic scripts (0). Letters without a decomposition, such as ø, ł, đ and ı, are kept.
/// 2. `[c]`: every scalar is mapped to lowercase, then uppercase, then lowercase by the full
///    Unicode mappings, regardless of context: ß, ẞ and ss are equal, and so are σ, ς and Σ. The
///    exception is ı (U+0131), which is kept and does not become i. There are no rules for single
///    languages.
/// 3. `[cd]`: `[d]`, then `[c]`.
/// 4. `[n]`: no folding, even with other options, because both sides are folded already.
/// 5. `[l]`: Foundation's folding in the current locale instead of rules 1 and 2.
/// 6. Neither `[c]` nor `[d]`: no folding. Canonically equivalent texts with different code units
///    differ, as in SQLite and unlike in Swift.
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

    /// The options that are in effect: none if `[n]` is set.
    package static func effective(_ options: ComparisonPredicate.Options) -> ComparisonPredicate.Options {
        options.contains(.normalized) ? [] : options
    }

    /// The function `canonical:`: folding of case and diacritics.
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
