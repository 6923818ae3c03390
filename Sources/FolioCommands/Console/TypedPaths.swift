import Foundation

/// The paths of a command line, to show a path as it was typed instead of the absolute path without
/// symbolic links that other modules use.
struct TypedPaths {
    /// A typed path and another path of the same file.
    private let places: [(typed: String, known: String)]

    /// - Parameter words: Words that may be paths.
    init(_ words: [String]) {
        places = words.filter { !$0.isEmpty && $0 != "-" }.flatMap { typed in
            [typed, ResolvedPath(typed).text, URL(fileURLWithPath: typed).path].map { (typed, $0) }
        }.sorted { $0.known.utf8.count > $1.known.utf8.count }
    }

    /// A path of a typed file, or of a file in a typed folder, as typed; nil for other paths.
    func path(_ known: String) -> String? {
        for place in places {
            if known == place.known { return place.typed }
            if known.hasPrefix(place.known + "/") {
                let folder = place.typed.hasSuffix("/") ? String(place.typed.dropLast()) : place.typed
                return folder + known.dropFirst(place.known.count)
            }
        }
        return nil
    }

    /// A text with the typed paths in the place of absolute ones.
    func text(_ text: String) -> String {
        var text = text
        for place in places where place.known != place.typed && place.known.contains("/") {
            let ranges = text.ranges(of: place.known).filter { range in
                let next = text[range.upperBound...].first
                return next.map { !$0.isLetter && !$0.isNumber } ?? true
            }
            for range in ranges.reversed() { text.replaceSubrange(range, with: place.typed) }
        }
        return text
    }
}
