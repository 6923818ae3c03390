package import Schema

/// Generates Swift classes for the entities of a model.
///
/// Like Xcode, it generates two files for each entity with a class name: `Book+Class.swift` with
/// the class, to which users add methods and overrides, and `Book+Properties.swift` with its
/// properties, which is replaced when the model changes. `ShopModel.swift` contains the model and
/// the list of classes. Classes for `import CoreData` have the files and members that Xcode gives
/// them, without a file for the model. Equal models generate equal text.
package struct CodeGenerator {
    package enum AccessLevel: String, CaseIterable, Sendable {
        case `public`, `package`, `internal`

        var prefix: String { self == .internal ? "" : rawValue + " " }
    }

    /// The module whose objects the classes are.
    package enum Framework: String, CaseIterable, Sendable {
        case folio
        case coreData = "coredata"

        var module: String { self == .folio ? "Folio" : "CoreData" }
        var baseClass: String { self == .folio ? "ManagedObject" : "NSManagedObject" }
        /// The modules that generated code names.
        var modules: Set<String> { [module, "Foundation", "Swift"] }
    }

    /// The entities for which files are generated.
    package enum Selection: Sendable {
        /// All entities with a class name.
        case all
        /// The entities whose code generation in Xcode is not manual: class and properties for
        /// “Class Definition”, only properties for “Category/Extension”.
        case asDeclared
    }

    package var accessLevel: AccessLevel = .public
    package var selection: Selection = .all
    package var framework: Framework = .folio
    /// Whether classes conform to `CodableObject`, which encodes an object with the graph that is
    /// reachable from it. Classes for Core Data don't.
    package var isCodable = false

    package init() {}

    /// Generates the files for a model.
    ///
    /// - Parameters:
    ///   - model: The model.
    ///   - name: The name of the model, such as `Shop`, after which the enum of the last file is
    ///     named.
    ///   - contents: The XML of the model, which the last file contains.
    /// - Throws: `CodegenError` with everything that Swift can't express.
    package func files(for model: ManagedObjectModel, named name: String, contents: String) throws(CodegenError)
        -> [GeneratedFile]
    {
        guard framework == .folio else { return try coreDataFiles(for: model, named: name) }
        let names = try SwiftNames(model, modelName: name)
        var files: [GeneratedFile] = []
        for writer in writers(for: model, names) {
            if isClassGenerated(writer.entity) {
                files.append(GeneratedFile("\(writer.className)+Class.swift", writer.classFile, isKept: true))
            }
            files.append(GeneratedFile("\(writer.className)+Properties.swift", writer.propertiesFile, isKept: false))
        }
        let modelWriter = ModelWriter(model: model, name: SwiftNames.typeName(name), names: names, generator: self)
        files.append(
            GeneratedFile(
                "\(SwiftNames.typeName(name))Model.swift", modelWriter.file(contents: contents), isKept: false))
        return files
    }

    /// Generates a single text instead of several files, for build tools that need to know the
    /// names of the files before they read the model.
    package func text(for model: ManagedObjectModel, named name: String, contents: String) throws(CodegenError)
        -> String
    {
        guard framework == .folio else { return try coreDataText(for: model, named: name) }
        let names = try SwiftNames(model, modelName: name)
        let writers = writers(for: model, names)
        let modelWriter = ModelWriter(model: model, name: SwiftNames.typeName(name), names: names, generator: self)
        var text = ClassWriter.notice + "\(accessLevel.prefix)import Folio\n"
        if writers.contains(where: \.usesFoundation) { text += "\(accessLevel.prefix)import Foundation\n" }
        for writer in writers {
            text += "\n" + (isClassGenerated(writer.entity) ? writer.classText + "\n" : "") + writer.propertiesText
        }
        return text + "\n" + modelWriter.text(contents: contents)
    }

    private func writers(for model: ManagedObjectModel, _ names: SwiftNames) -> [ClassWriter] {
        model.entities.compactMap { entity in
            guard isGenerated(entity), let className = names.classes[entity.name] else { return nil }
            return ClassWriter(entity: entity, className: className, model: model, names: names, generator: self)
        }
    }

    /// Whether the properties of an entity are generated. Classes of entities with manual
    /// generation are written by the user.
    func isGenerated(_ entity: EntityDescription) -> Bool {
        selection == .all || entity.definition.extraMarkup["codeGenerationType"] != nil
    }

    func isClassGenerated(_ entity: EntityDescription) -> Bool {
        selection == .all || entity.definition.extraMarkup["codeGenerationType"] == "class"
    }
}

/// A file of generated code.
package struct GeneratedFile: Sendable, Hashable {
    package let name: String
    package let text: String
    /// Whether an existing file with this name is kept, because users edit it.
    package let isKept: Bool

    init(_ name: String, _ text: String, isKept: Bool) {
        self.name = name
        self.text = text
        self.isKept = isKept
    }
}

/// The parts of a model that Swift can't express.
package struct CodegenError: Error, Sendable, Hashable, CustomStringConvertible {
    package let faults: [String]

    package init(faults: [String]) {
        self.faults = faults
    }

    package var description: String { faults.joined(separator: "; ") }
}
