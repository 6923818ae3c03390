import Foundation

/// The order of texts: by UTF-8 bytes, which is the order of their scalars and of SQLite's BINARY,
/// or by a collation. Stores register the collations with SQLite.
package enum TextOrder {
    /// Negative, zero or positive.
    package static func binary(_ a: String, _ b: String) -> Int {
        let fast = a.utf8.withContiguousStorageIfAvailable { left in
            b.utf8.withContiguousStorageIfAvailable { right in
                bytes(UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right))
            }
        }
        if let fast, let fast { return fast }
        return a.utf8.lexicographicallyPrecedes(b.utf8) ? -1 : (equal(a, b) ? 0 : 1)
    }

    /// Whether the code units are equal; canonical equivalence does not count.
    package static func equal(_ a: String, _ b: String) -> Bool {
        a.utf8.elementsEqual(b.utf8)
    }

    package static func bytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        let shared = min(a.count, b.count)
        if shared > 0, let left = a.baseAddress, let right = b.baseAddress {
            let order = Int(memcmp(left, right, shared))
            if order != 0 { return order }
        }
        return a.count - b.count
    }

    /// The order that `<` and the other operators use under comparison options; with `[l]`,
    /// Foundation's order in the current locale.
    package static func compare(_ a: String, _ b: String, options: ComparisonPredicate.Options) -> Int {
        let options = TextFolding.effective(options)
        guard options.contains(.localeSensitive) else {
            return options.isEmpty
                ? binary(a, b) : binary(TextFolding.fold(a, options: options), TextFolding.fold(b, options: options))
        }
        var foundation: String.CompareOptions = []
        if options.contains(.caseInsensitive) { foundation.insert(.caseInsensitive) }
        if options.contains(.diacriticInsensitive) { foundation.insert(.diacriticInsensitive) }
        return a.compare(b, options: foundation, range: nil, locale: .current).rawValue
    }
}

extension SortKey.Collation {
    /// Negative, zero or positive. `binary` orders by code units, `caseInsensitive` by code units
    /// after folding with `[c]`. The localized collations are Foundation's comparisons of the same
    /// names in the current locale.
    package func compare(_ a: String, _ b: String) -> Int {
        switch self {
        case .binary: TextOrder.binary(a, b)
        case .caseInsensitive: TextOrder.compare(a, b, options: .caseInsensitive)
        case .localized: a.localizedCompare(b).rawValue
        case .localizedCaseInsensitive: a.localizedCaseInsensitiveCompare(b).rawValue
        case .localizedStandard: a.localizedStandardCompare(b).rawValue
        }
    }
}
