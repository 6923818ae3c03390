import Folio
import Foundation

/// The mapping models of `migrate`.
extension MigrateCommand {
    /// The mapping models that `--mapping` names, with policies replaced as `--policy` says.
    static func mappings(_ arguments: ParsedArguments, _ console: Console) throws -> [MappingModel] {
        let definitions = arguments.all("--policy")
        let policies: PolicyExpressions
        do {
            policies = try PolicyExpressions(definitions)
        } catch {
            throw InterchangeError.usage(error.message)
        }
        let read = try arguments.all("--mapping").flatMap { try mappings(at: $0, console) }
        var wanted: Set<String> = [], models: [MappingModel] = []
        for (path, model) in read {
            wanted.formUnion(model.migrationPolicyNames)
            do { models.append(try model.applying(policies)) } catch {
                throw InterchangeError(.unavailable, "policy", error.message, path: path, hint: policyHint)
            }
        }
        for name in policies.policyNames where !wanted.contains(where: { $0 == name || $0.hasSuffix("." + name) }) {
            throw InterchangeError.usage(
                "no mapping model names the policy \(name)",
                hint: wanted.isEmpty
                    ? "they name no policy: leave --policy out"
                    : "they name \(wanted.sorted().joined(separator: ", "))")
        }
        return models
    }

    static let policyHint =
        "say what its methods give with --policy POLICY.METHOD=EXPRESSION, or --policy POLICY if the mapping says all; else migrate with the application that has the class"

    /// The mapping models in a file or a folder.
    private static func mappings(at text: String, _ console: Console) throws -> [(path: String, model: MappingModel)] {
        let url = URL(fileURLWithPath: text)
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw InterchangeError.notFound("there is no such file", path: text)
        }
        let isModel = FileManager.default.fileExists(atPath: url.appendingPathComponent("xcmapping.xml").path)
        guard isFolder.boolValue, !isModel, url.pathExtension != "xcmappingmodel" else {
            return [(text, try mapping(at: url, text))]
        }
        let files = try MappingModel.files(in: url)
        guard !files.isEmpty else {
            throw InterchangeError.malformed("this is no mapping model, and no folder of mapping models", path: text)
        }
        return try files.map { file in
            let path = text + (text.hasSuffix("/") ? "" : "/") + file.lastPathComponent
            return (path, try mapping(at: file, path))
        }
    }

    private static func mapping(at url: URL, _ path: String) throws -> MappingModel {
        do {
            return try MappingModel(contentsOf: url)
        } catch let error as MigrationError {
            throw InterchangeError.malformed(error.description, path: path)
        }
    }
}
