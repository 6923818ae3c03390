/// BEGINSWITH, ENDSWITH and CONTAINS with a known right side: a search for UTF-8 bytes, both sides folded.
package struct TextSearch: Sendable {
    private let comparisonOperator: Comparison.Operator
    private let options: Comparison.Options
    private let wanted: [UInt8]

    /// `comparisonOperator` is `.beginsWith`, `.endsWith`, or anything else for a search anywhere.
    package init(_ wanted: String, _ comparisonOperator: Comparison.Operator, _ options: Comparison.Options) {
        self.comparisonOperator = comparisonOperator
        self.options = TextFolding.effective(options)
        self.wanted = Array(TextFolding.fold(wanted, options: options).utf8)
    }

    package func matches(_ text: String) -> Bool {
        var folded = options.isEmpty ? text : TextFolding.fold(text, options: options)
        return folded.withUTF8 { matches($0) }
    }

    private func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        guard wanted.count <= text.count else { return false }
        switch comparisonOperator {
        case .beginsWith: return text.starts(with: wanted)
        case .endsWith: return text[(text.count - wanted.count)...].elementsEqual(wanted)
        default:
            guard let first = wanted.first else { return true }
            for start in 0...(text.count - wanted.count) where text[start] == first {
                if text[start..<(start + wanted.count)].elementsEqual(wanted) { return true }
            }
            return false
        }
    }
}
