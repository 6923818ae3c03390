import Foundation
import ModelCodegen

/// What may stand in `NAME.codegen.json` beside `NAME.xcdatamodeld`:
///
/// ```json
/// { "access": "internal", "classes": "all", "codable": true }
/// ```
/// `access` is `public` (where it says nothing), `package` or `internal`; `classes` is `asDeclared`
/// (what Xcode would generate) or `all`.
struct GeneratorConfiguration {
    struct Fault: Error {
        let path: String
        let message: String
    }

    private(set) var generator: CodeGenerator

    init() {
        generator = CodeGenerator()
        generator.selection = .asDeclared
    }

    static func read(_ url: URL) throws -> GeneratorConfiguration {
        func fault(_ message: String) -> Fault { Fault(path: url.path, message: message) }
        let object: Any
        do {
            object = try JSONSerialization.jsonObject(with: Data(contentsOf: url))
        } catch {
            throw fault("this is no JSON: \(error.localizedDescription)")
        }
        guard let entries = object as? [String: Any] else {
            throw fault("an object is expected, such as {\"access\": \"internal\"}")
        }
        var configuration = GeneratorConfiguration()
        for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
            switch key {
            case "access":
                guard let level = (value as? String).flatMap(CodeGenerator.AccessLevel.init) else {
                    throw fault("“access” is public, package or internal")
                }
                configuration.generator.accessLevel = level
            case "classes":
                switch value as? String {
                case "all": configuration.generator.selection = .all
                case "asDeclared": configuration.generator.selection = .asDeclared
                default: throw fault("“classes” is all or asDeclared")
                }
            case "codable":
                guard let isCodable = value as? Bool else { throw fault("“codable” is true or false") }
                configuration.generator.isCodable = isCodable
            default: throw fault("there is no “\(key)”, only access, classes and codable")
            }
        }
        return configuration
    }
}
