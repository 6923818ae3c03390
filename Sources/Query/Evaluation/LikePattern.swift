/// A pattern of LIKE: `*` matches any run of characters, `?` exactly one Unicode scalar, and a
/// backslash escapes the next character. The whole text must match.
///
/// Matching backtracks only to the last star, so the cost is at most the length of the text times
/// the length of the longest part between stars.
package struct LikePattern: Sendable {
    private static let one: UInt16 = 256
    private static let run: UInt16 = 257

    /// The bytes of the pattern and the two wildcards.
    private let codes: [UInt16]
    private let options: ComparisonPredicate.Options

    package init(_ pattern: String, options: ComparisonPredicate.Options = []) {
        let options = TextFolding.effective(options)
        var codes: [UInt16] = []
        var isEscaped = false
        for byte in TextFolding.fold(pattern, options: options).utf8 {
            if isEscaped {
                isEscaped = false
                codes.append(UInt16(byte))
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "*") {
                if codes.last != Self.run { codes.append(Self.run) }
            } else {
                codes.append(byte == UInt8(ascii: "?") ? Self.one : UInt16(byte))
            }
        }
        if isEscaped { codes.append(UInt16(UInt8(ascii: "\\"))) }
        self.codes = codes
        self.options = options
    }

    package func matches(_ text: String) -> Bool {
        var folded = options.isEmpty ? text : TextFolding.fold(text, options: options)
        return folded.withUTF8 { matches($0) }
    }

    /// The result for ASCII text, without creating a `String`; nil for other text and if the
    /// options depend on the locale.
    package func matches(plain text: UnsafeBufferPointer<UInt8>) -> Bool? {
        guard let isFolded = PlainText.isFolded(text, options) else { return nil }
        return isFolded ? matches(text) { PlainText.folded($0) } : matches(text)
    }

    private func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool { matches(text) { $0 } }

    @inline(__always) private func matches(_ text: UnsafeBufferPointer<UInt8>, _ byte: (UInt8) -> UInt8) -> Bool {
        codes.withUnsafeBufferPointer { matches(text, $0, byte) }
    }

    @inline(__always) private func matches(
        _ text: UnsafeBufferPointer<UInt8>, _ codes: UnsafeBufferPointer<UInt16>, _ byte: (UInt8) -> UInt8
    ) -> Bool {
        var index = 0
        var code = 0
        // The position to resume at when the part after a star fails to match: the star then takes
        // one more byte.
        var retry: (code: Int, index: Int)?
        while index < text.count {
            if code < codes.count, codes[code] == Self.run {
                code += 1
                retry = (code, index)
            } else if code < codes.count, codes[code] == Self.one, text[index] & 0xC0 != 0x80 {
                index += 1
                while index < text.count, text[index] & 0xC0 == 0x80 { index += 1 }
                code += 1
            } else if code < codes.count, codes[code] == UInt16(byte(text[index])) {
                index += 1
                code += 1
            } else if let again = retry {
                index = again.index + 1
                code = again.code
                retry = (code, index)
            } else {
                return false
            }
        }
        while code < codes.count, codes[code] == Self.run { code += 1 }
        return code == codes.count
    }
}
