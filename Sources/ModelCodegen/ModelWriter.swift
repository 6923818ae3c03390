import Schema

/// Writes the file with the model and the list of its classes.
struct ModelWriter {
    let model: ManagedObjectModel
    let name: String
    let names: SwiftNames
    let generator: CodeGenerator

    private var access: String { generator.accessLevel.prefix }
    private var string: String { names.swift("String") }
    private var modelType: String { names.folio("ManagedObjectModel") }

    func file(contents: String) -> String {
        ClassWriter.notice + "\(access)import Folio\n\n" + text(contents: contents)
    }

    func text(contents: String) -> String {
        var text = "/// The model \(name) and the classes of its objects.\n\(access)enum \(name)Model {\n"
        text += "    /// The classes, by the names that the model gives them.\n"
        text += "    \(access)static var classes: [\(string): \(names.folio("ManagedObject")).Type] {\n"
        text += classes.isEmpty ? "        [:]\n" : "        [\n\(classes)        ]\n"
        text += "    }\n\n    /// The model; made once.\n"
        text += "    \(access)static func model() throws -> \(modelType) { try made.get() }\n\n"
        text += "    private static let made = \(names.swift("Result")) { try \(modelType)(xcdatamodelText: text) }\n"
        text += templates
        let hashes = fence(contents)
        text += "\n    private static let text = \(hashes)\"\"\"\n"
        for line in contents.split(separator: "\n", omittingEmptySubsequences: false) {
            text += line.isEmpty ? "\n" : "        \(line)\n"
        }
        return text + "        \"\"\"\(hashes)\n}\n"
    }

    private var classes: String {
        var lines = ""
        for entity in model.entities {
            guard let declared = entity.managedObjectClassName, let className = names.classes[entity.name],
                generator.isGenerated(entity)
            else { continue }
            lines += "            \(literal(declared)): \(className).self,\n"
        }
        return lines
    }

    /// A function for each fetch request template of the model.
    private var templates: String {
        var text = ""
        var used: Set<String> = []
        for (place, template) in model.definition.fetchRequestTemplates.enumerated() {
            let type = names.objectType(model.entity(named: template.entityName))
            var name = Self.lowercased(SwiftNames.typeName(template.name)) + "Request"
            while !used.insert(name).inserted { name += "_" }
            let request = names.folio("FetchRequest")
            text += "\n    /// The model's fetch request “\(template.name.filter { !$0.isNewline })”.\n"
            text +=
                "    \(access)static func \(name)(_ variables: [\(string): (any \(names.folio("PredicateArgument")))?] = [:]) throws -> \(request)<\(type)> {\n"
            text +=
                "        try \(request)(template: model().definition.fetchRequestTemplates[\(place)], substitutionVariables: variables)\n    }\n"
        }
        return text
    }

    private static func lowercased(_ name: String) -> String { name.prefix(1).lowercased() + name.dropFirst() }

    /// The number signs that a raw string literal with `text` needs.
    private func fence(_ text: String) -> String {
        var longest = 0
        var run = 0
        for character in text {
            run = character == "#" ? run + 1 : 0
            longest = max(longest, run)
        }
        return String(repeating: "#", count: longest + 1)
    }
}
