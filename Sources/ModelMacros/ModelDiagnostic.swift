import SwiftDiagnostics
import SwiftSyntax
import SwiftSyntaxMacros

/// An error that `@Model` reports at a token.
struct ModelDiagnostic: DiagnosticMessage, FixItMessage {
    let message: String
    private let id: String

    init(_ id: String, _ message: String) {
        self.id = id
        self.message = message
    }

    var severity: DiagnosticSeverity { .error }
    var diagnosticID: MessageID { MessageID(domain: "Folio", id: id) }
    var fixItID: MessageID { diagnosticID }
}

extension MacroExpansionContext {
    func report(_ id: String, _ message: String, at node: some SyntaxProtocol, fixIts: [FixIt] = []) {
        diagnose(Diagnostic(node: Syntax(node), message: ModelDiagnostic(id, message), fixIts: fixIts))
    }
}

extension FixIt {
    /// A fix-it that replaces `old` by `new`.
    static func replacing(_ id: String, _ message: String, _ old: some SyntaxProtocol, by new: some SyntaxProtocol)
        -> FixIt
    {
        FixIt(message: ModelDiagnostic(id, message), changes: [.replace(oldNode: Syntax(old), newNode: Syntax(new))])
    }
}
