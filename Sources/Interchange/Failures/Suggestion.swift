import Folio

/// Suggests corrections of mistyped words, as hints.
package enum Suggestion {
    /// `did you mean …?`; nil if no candidate is similar or begins with the word.
    package static func sentence(for word: String, among candidates: [String]) -> String? {
        let nearest = NearestNames.nearest(to: word, among: candidates)
        if !nearest.isEmpty { return sentence(nearest) }
        let longer = candidates.filter { word.count > 2 && $0.hasPrefix(word) }
        return longer.count > 3 ? nil : sentence(longer)
    }

    package static func sentence(_ names: [String]) -> String? {
        names.isEmpty ? nil : "did you mean " + names.joined(separator: " or ") + "?"
    }
}
