import Foundation
import TestSupport
import Testing

/// The classes of real models, compiled.
struct GeneratedClassesTests {
    /// Each version takes the compiler half a minute: `FOLIO_ALL_VERSIONS` asks for all of them.
    private static var versions: [URL] {
        guard let corpus else { return [] }
        let model = corpus.appendingPathComponent(
            "woocommerce__woocommerce-ios/Storage/Storage/Model/WooCommerce.xcdatamodeld")
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: model.path)) ?? []).filter {
            $0.hasSuffix(".xcdatamodel")
        }
        let sorted = names.sorted { $0.compare($1, options: .numeric) == .orderedAscending }
        let chosen = ProcessInfo.processInfo.environment["FOLIO_ALL_VERSIONS"] == nil ? sorted.suffix(1) : sorted[...]
        return chosen.map { model.appendingPathComponent($0) }
    }

    @Test(.enabled(if: runsSweeps), arguments: versions) func theClassesOfTheLargestModelOfTheCorpusCompile(
        _ version: URL
    ) throws {
        try withTemporaryDirectory { scratch in
            let configuration = scratch.appendingPathComponent("configuration.json"),
                output = scratch.appendingPathComponent("Classes.swift")
            try #"{"classes": "all", "codable": true}"#.write(to: configuration, atomically: true, encoding: .utf8)
            try Subprocess.succeed(
                productsFolder.appendingPathComponent("modelgen").path, version.path, output.path, configuration.path,
                in: scratch)
            try typecheckGenerated(output, in: scratch)
            let text = try String(contentsOf: output, encoding: .utf8)
            let entities =
                try String(contentsOf: version.appendingPathComponent("contents"), encoding: .utf8).components(
                    separatedBy: "<entity "
                ).count - 1
            #expect(text.matches(of: /static func \w+KeyPaths\(of type:/).count == entities)
        }
    }

    @Test func theClassesOfTheCorpusCompile() throws {
        guard let corpus else { return }
        let models = try #require(FileManager.default.enumerator(at: corpus, includingPropertiesForKeys: nil))
            .compactMap { $0 as? URL }
            .filter { $0.pathExtension == "xcdatamodeld" && !$0.path.contains("WooCommerce") }
        var texts = 0
        for model in models {
            try withTemporaryDirectory { scratch in
                let configuration = scratch.appendingPathComponent("configuration.json"),
                    output = scratch.appendingPathComponent("Classes.swift")
                try #"{"classes": "all"}"#.write(to: configuration, atomically: true, encoding: .utf8)
                let made = try Subprocess.run(
                    [
                        productsFolder.appendingPathComponent("modelgen").path, model.path, output.path,
                        configuration.path,
                    ], in: scratch)
                // Some name no model that can be read, or classes that Swift has no name for: the
                // message says so.
                guard made.exit == 0 else {
                    #expect(made.exit == 65 && made.output.hasPrefix("\(model.path): error: "))
                    return
                }
                texts += 1
                try typecheckGenerated(output, in: scratch)
            }
        }
        #expect(texts > 15)
    }
}

/// Compiles a file against this build's modules, as a package that names Folio as a dependency
/// does.
func typecheckGenerated(_ file: URL, in scratch: URL) throws {
    let doors = ["CSQLite", "CArchive", "CZlib", "CDeflate"].map {
        projectFolder.appendingPathComponent("Sources/\($0)/module.modulemap")
    }
    let maps = doors + [productsFolder.appendingPathComponent("CSystem.build/module.modulemap")]
    try Subprocess.succeed(
        [
            "swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-I",
            productsFolder.appendingPathComponent("Modules").path,
        ]
            + maps.flatMap { ["-Xcc", "-fmodule-map-file=\($0.path)"] }
            + [
                "-load-plugin-executable",
                productsFolder.appendingPathComponent("FolioMacros-tool").path + "#FolioMacros",
                file.path,
            ], in: scratch)
}
