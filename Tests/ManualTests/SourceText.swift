import Foundation

/// What the source declares, read as text.
enum SourceText {
    private static func files(in folder: String) throws -> [URL] {
        let root = Manual.root.appendingPathComponent(folder)
        let names = try FileManager.default.subpathsOfDirectory(atPath: root.path)
        return names.sorted().map(root.appendingPathComponent)
    }

    private static func texts(in folder: String) throws -> [String] {
        try files(in: folder).filter { $0.pathExtension == "swift" }.map { try String(contentsOf: $0, encoding: .utf8) }
    }

    /// The codes of every public error type.
    static func errorCodes() throws -> [String: Set<String>] {
        var codes: [String: Set<String>] = [:]
        for text in try texts(in: "Sources") {
            guard let type = text.firstMatch(of: /public struct (\w+)\s*:[^{]*\bError\b[^{]*\{/),
                text.contains("struct Code")
            else { continue }
            let names = text.matches(of: /public static let (\w+) = Code\(/).map { String($0.output.1) }
            codes[String(type.output.1)] = Set(names)
        }
        return codes
    }

    /// The types of errors that comments name behind `- Throws:`, without those of the package.
    static func thrownTypes() throws -> Set<String> {
        var types: Set<String> = []
        let texts = try texts(in: "Sources")
        for text in texts {
            for match in text.matches(of: /- Throws:[^\n]*(?:\n *\/\/\/   [^\n]*)*/) {
                for type in match.output.matches(of: /\b([A-Z]\w+Error)\b/) { types.insert(String(type.output.1)) }
            }
        }
        for text in texts {
            for type in text.matches(of: /(?:package|private|\n) ?(?:struct|enum) (\w+Error)\b/) {
                types.remove(String(type.output.1))
            }
        }
        // Core Data's constants are numbers, not types.
        return types.filter { !$0.hasPrefix("NS") }
    }

    /// The codes that comments name behind `- Throws:`.
    static func thrownCodes() throws -> Set<String> {
        var codes: Set<String> = []
        for text in try texts(in: "Sources") {
            for match in text.matches(of: /- Throws:[^\n]*(?:\n *\/\/\/   [^\n]*)*/) {
                let comment = match.output.replacing(/\n *\/\/\/ +/, with: " ")
                codes.formUnion(comment.matches(of: /with code `(\w+)`/).map { String($0.output.1) })
            }
        }
        return codes
    }

    /// The variables of the environment that the sources, tests and scripts read.
    static func variables() throws -> Set<String> {
        var names: Set<String> = []
        let swift = try (texts(in: "Sources") + texts(in: "Tests")).flatMap { text in
            text.matches(of: /(?:getenv\(|environment\[|variable\(|variable = )"(FOLIO_[A-Z_]+)"/).map {
                String($0.output.1)
            }
        }
        names.formUnion(swift)
        for file in try files(in: ".ci") {
            let text = try String(contentsOf: file, encoding: .utf8)
            names.formUnion(text.matches(of: /\b(FOLIO_[A-Z_]+)\b/).map { String($0.output.1) })
        }
        return names
    }

    /// The properties of the description of a store.
    static func storeOptions() throws -> Set<String> {
        var names: Set<String> = []
        for file in try files(in: "Sources/Storage")
        where file.lastPathComponent.hasPrefix("PersistentStoreDescription") {
            let text = try String(contentsOf: file, encoding: .utf8)
            names.formUnion(text.matches(of: /\n {4}public var (\w+)/).map { String($0.output.1) })
        }
        return names
    }
}
