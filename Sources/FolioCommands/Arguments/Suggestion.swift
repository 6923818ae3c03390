import Folio

/// What a mistyped word was probably meant to be, as a hint.
enum Suggestion {
    /// `did you mean …?`, or nil where nothing is near.
    static func sentence(for word: String, among candidates: [String]) -> String? {
        sentence(NearestNames.nearest(to: word, among: candidates))
    }

    static func sentence(_ names: [String]) -> String? {
        names.isEmpty ? nil : "did you mean " + names.joined(separator: " or ") + "?"
    }
}
