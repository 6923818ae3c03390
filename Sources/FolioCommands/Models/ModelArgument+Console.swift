import Folio
import Foundation

extension ModelArgument {
    /// Loads a model, and tells of what it was read without.
    static func load(_ text: String, _ console: Console) async throws -> LoadedModel {
        var tells = true
        let loaded = try await load(text) { document, argument in
            if tells { console.reportState(of: document, argument) }
            tells = false
        }
        let path = Printable.line(ModelReference(text).url.relativePath)
        for warning in loaded.model.warnings { console.say("warning: \(path): \(Printable.line("\(warning)"))") }
        return loaded
    }
}
