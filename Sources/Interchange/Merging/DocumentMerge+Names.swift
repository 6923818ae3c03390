package import Folio
import Foundation

extension DocumentMerge.Conflict {
    /// The conflict with a name.
    /// - Throws: an error with the exit code 66.
    package static func named(_ name: String, among known: [DocumentMerge.Conflict], hint: String) throws
        -> DocumentMerge.Conflict
    {
        guard let conflict = known.first(where: { $0.name == name }) else {
            throw InterchangeError(
                .notFound, "unknownConflict", "there is no conflict \(name)",
                hint: Suggestion.sentence(for: name, among: known.map(\.name)) ?? hint)
        }
        return conflict
    }
}

extension DocumentMerge.Base {
    /// The state that both documents came from, by the path of a document; nil for the one that is
    /// found.
    /// - Throws: A usage error for an empty text, which would name the current folder.
    package static func named(_ text: String?) throws -> DocumentMerge.Base {
        switch text {
        case nil: .common
        case "none"?: .none
        case ""?: throw InterchangeError.usage("the base is empty", hint: "leave it out, or name a document or none")
        case let text?: .document(URL(fileURLWithPath: text))
        }
    }
}
