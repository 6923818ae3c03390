import ModelMacros
import SwiftDiagnostics
import SwiftParser
import SwiftSyntax
import SwiftSyntaxMacroExpansion
import SwiftSyntaxMacros

/// What the macros make of a source, and what they say of it.
struct Expansion {
    struct Complaint: Equatable {
        let message: String
        /// The text that it points at, and where that begins.
        let place: String
        let offset: Int
        /// The source after each fix-it that is offered, by what the fix-it says.
        let repairs: [String: String]
    }

    let text: String
    let complaints: [Complaint]

    private static var macros: [String: any Macro.Type] {
        [
            "Model": ModelMacro.self, "_Persisted": PersistedMacro.self, "Attribute": MarkerMacro.self,
            "Relationship": MarkerMacro.self,
            "Transient": MarkerMacro.self, "Unique": DeclarationMarkerMacro.self, "Index": DeclarationMarkerMacro.self,
        ]
    }

    init(_ source: String) {
        let file = Parser.parse(source: source)
        let context = BasicMacroExpansionContext(sourceFiles: [
            file: .init(moduleName: "Library", fullFilePath: "Library.swift")
        ])
        let expanded = file.expand(
            macros: Self.macros,
            contextGenerator: {
                BasicMacroExpansionContext(sharingWith: context, lexicalContext: $0.allMacroLexicalContexts())
            }, indentationWidth: .spaces(4))
        func offset(_ node: Syntax, _ position: AbsolutePosition) -> Int {
            context.location(for: position, anchoredAt: node, fileName: "Library.swift").offset
        }
        text = expanded.description
        complaints = context.diagnostics.map { diagnostic in
            var repairs: [String: String] = [:]
            for fixIt in diagnostic.fixIts {
                var bytes = Array(source.utf8)
                for case .replace(let old, let new) in fixIt.changes {
                    let start = offset(old, old.position)
                    bytes.replaceSubrange(
                        start..<(start + old.totalLength.utf8Length), with: Array(new.description.utf8))
                }
                repairs[fixIt.message.message] = String(decoding: bytes, as: UTF8.self)
            }
            return Complaint(
                message: diagnostic.message, place: diagnostic.node.trimmedDescription,
                offset: offset(diagnostic.node, diagnostic.position), repairs: repairs)
        }
    }

    /// The expansion with every run of white space as one space.
    var words: String { Self.words(text) }

    static func words(_ text: String) -> String { text.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
