import ModelMacros
@_spi(PluginMessage) import SwiftCompilerPluginMessageHandling
import SwiftSyntaxMacros

/// What the compiler starts to expand Folio's macros, and talks to over its standard input and
/// output.
///
/// The toolchain ships no `SwiftCompilerPlugin` module, which would be this.
@main
struct FolioPlugin: PluginProvider {
    private static var macros: [String: any Macro.Type] {
        [
            "ModelMacro": ModelMacro.self, "PersistedMacro": PersistedMacro.self, "MarkerMacro": MarkerMacro.self,
            "DeclarationMarkerMacro": DeclarationMarkerMacro.self, "ManagedMacro": ManagedMacro.self,
            "ManagedObjectClassMacro": ManagedObjectClassMacro.self,
        ]
    }

    struct UnknownMacro: Error, CustomStringConvertible {
        let description: String
    }

    func resolveMacro(moduleName: String, typeName: String) throws -> any Macro.Type {
        guard let macro = Self.macros[typeName] else {
            throw UnknownMacro(description: "FolioMacros has no \(typeName)")
        }
        return macro
    }

    static func main() throws {
        let connection = try StandardIOMessageConnection()
        let handler = PluginProviderMessageHandler(provider: FolioPlugin())
        try CompilerPluginMessageListener(connection: connection, messageHandler: handler).main()
    }
}
