import Foundation
import ModelCodegen

/// What may stand in `NAME.codegen.json` beside `NAME.xcdatamodeld`:
///
/// ```json
/// { "access": "internal", "classes": "all", "codable": true }
/// ```
/// `access` is `public` (where it says nothing), `package` or `internal`; `classes` is `asDeclared`
/// (what Xcode would generate) or `all`; `for` is `folio` or `coredata`, the module that the classes
/// import.
struct GeneratorConfiguration {
    struct Fault: Error {
        let path: String
        let message: String
    }

    private(set) var generator: CodeGenerator

    init(_ framework: CodeGenerator.Framework) {
        generator = CodeGenerator()
        generator.selection = .asDeclared
        generator.framework = framework
    }

    /// - Parameter framework: Where the file names none.
    static func read(_ url: URL, _ framework: CodeGenerator.Framework) throws -> GeneratorConfiguration {
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
        var configuration = GeneratorConfiguration(framework)
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
            case "for":
                guard let framework = (value as? String).flatMap(CodeGenerator.Framework.init) else {
                    throw fault("“for” is folio or coredata")
                }
                configuration.generator.framework = framework
            default: throw fault("there is no “\(key)”, only access, classes, codable and for")
            }
        }
        if configuration.generator.isCodable, configuration.generator.framework == .coreData {
            throw fault("classes for coredata can't be “codable”")
        }
        return configuration
    }
}
