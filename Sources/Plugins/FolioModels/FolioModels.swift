import Foundation
import PackagePlugin

/// Makes Swift classes of the models that lie among a target's sources.
///
/// ```swift
/// .target(name: "Shop", dependencies: [.product(name: "Folio", package: "folio")], plugins: [.plugin(name: "FolioModels", package: "folio")])
/// ```
/// Each `Shop.xcdatamodeld` or `Shop.xcdatamodel` gives one file with the classes of its current
/// version that Xcode would generate, and with `ShopModel`, the model itself. It is written again
/// when a file of the model changes. A target that depends on the product `CoreData` and not on
/// `Folio` gets classes for `import CoreData`, without `ShopModel`. `Shop.codegen.json` beside the
/// model says what else is wanted.
@main
struct FolioModels: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) async throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let tool = try context.tool(named: "modelgen").url
        let files = target.sourceFiles.map(\.url), framework = Self.framework(of: target)
        var names: Set<String> = []
        return try files.filter { ["xcdatamodeld", "xcdatamodel"].contains($0.pathExtension) }.map { model in
            let name = model.deletingPathExtension().lastPathComponent
            guard names.insert(name).inserted else {
                throw ModelFault(description: "the target \(target.name) has two models called \(name)")
            }
            let output = context.pluginWorkDirectoryURL.appending(path: "\(name)Model.swift")
            let configuration = model.deletingLastPathComponent().appending(path: "\(name).codegen.json")
            let isConfigured = files.contains { $0.standardizedFileURL == configuration.standardizedFileURL }
            return .buildCommand(
                displayName: "Classes of \(model.lastPathComponent)", executable: tool,
                arguments: [model.path, output.path] + (isConfigured ? [configuration.path] : [])
                    + ["--for", framework],
                // SwiftPM knows the target's files alone: without the folder itself among these it
                // warns of a file that nobody handles.
                inputFiles: try [model] + Self.parts(of: model) + (isConfigured ? [configuration] : []),
                outputFiles: [output])
        }
    }

    /// The module that a target's own dependencies say, or else those of the targets that it
    /// depends on.
    private static func framework(of target: any Target) -> String {
        let products = target.dependencies.compactMap { dependency -> String? in
            if case .product(let product) = dependency { product.name } else { nil }
        }
        if products.contains("Folio") { return "folio" }
        let all = products + target.recursiveTargetDependencies.map(\.name)
        return all.contains("CoreData") ? "coredata" : "folio"
    }

    /// The files of a model: those of its versions, and the one that says which is current.
    private static func parts(of model: URL) throws -> [URL] {
        try FileManager.default.subpathsOfDirectory(atPath: model.path).sorted().map { model.appending(path: $0) }
            .filter {
                try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true
            }
    }

    private struct ModelFault: Error, CustomStringConvertible {
        let description: String
    }
}
