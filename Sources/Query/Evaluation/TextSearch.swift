/// BEGINSWITH, ENDSWITH and CONTAINS with a constant right side: a search for UTF-8 bytes after
/// both sides are folded.
package struct TextSearch: Sendable {
    private let comparisonOperator: ComparisonPredicate.Operator
    private let options: ComparisonPredicate.Options
    private let wanted: [UInt8]

    /// `comparisonOperator` is `.beginsWith` or `.endsWith`; any other operator searches anywhere.
    package init(
        _ wanted: String, _ comparisonOperator: ComparisonPredicate.Operator, _ options: ComparisonPredicate.Options
    ) {
        self.comparisonOperator = comparisonOperator
        self.options = TextFolding.effective(options)
        self.wanted = Array(TextFolding.fold(wanted, options: options).utf8)
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
        wanted.withUnsafeBufferPointer { wanted in
            let last = text.count - wanted.count
            guard last >= 0 else { return false }
            func stands(at start: Int) -> Bool {
                for place in 0..<wanted.count where byte(text[start + place]) != wanted[place] { return false }
                return true
            }
            switch comparisonOperator {
            case .beginsWith: return stands(at: 0)
            case .endsWith: return stands(at: last)
            default: return (0...last).contains { stands(at: $0) }
            }
        }
    }
}
