package import Schema

/// Makes Swift classes for the entities of a model.
///
/// Each entity that names a class gives two files, as Xcode's own generation does:
/// `Book+Class.swift` with the class, which its users fill with methods and overridden hooks, and
/// `Book+Properties.swift` with its properties, which is written anew whenever the model changes.
/// `ShopModel.swift` has the model and the list of the classes. The same model gives the same text.
package struct CodeGenerator {
    package enum AccessLevel: String, CaseIterable, Sendable {
        case `public`, `package`, `internal`

        var prefix: String { self == .internal ? "" : rawValue + " " }
    }

    /// Which entities get files.
    package enum Selection: Sendable {
        /// Every entity that names a class.
        case all
        /// Those whose code generation is not manual in Xcode: class and properties for “Class
        /// Definition”, properties alone for “Category/Extension”.
        case asDeclared
    }

    package var accessLevel: AccessLevel = .public
    package var selection: Selection = .all
    /// Whether classes conform to `CodableObject`: each object stands for the graph that it leads
    /// to.
    package var isCodable = false

    package init() {}

    /// - Parameters:
    ///   - model: The model.
    ///   - name: What the model is called, such as `Shop`; the enum of the last file is named after
    ///     it.
    ///   - contents: The model's XML, which the last file carries.
    /// - Throws: `CodegenError` with everything that can't be said in Swift.
    package func files(for model: ManagedObjectModel, named name: String, contents: String) throws(CodegenError)
        -> [GeneratedFile]
    {
        let names = try SwiftNames(model)
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

    /// The same in one text, for tools that have to know what files there will be before they look
    /// at the model.
    package func text(for model: ManagedObjectModel, named name: String, contents: String) throws(CodegenError)
        -> String
    {
        let names = try SwiftNames(model)
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

    /// Whether an entity's properties are generated. Classes of entities with manual generation are
    /// their user's; they exist too.
    func isGenerated(_ entity: EntityDescription) -> Bool {
        selection == .all || entity.definition.extraMarkup["codeGenerationType"] != nil
    }

    private func isClassGenerated(_ entity: EntityDescription) -> Bool {
        selection == .all || entity.definition.extraMarkup["codeGenerationType"] == "class"
    }
}

/// A file of generated code.
package struct GeneratedFile: Sendable, Hashable {
    package let name: String
    package let text: String
    /// Whether a file of this name that is there already stays as it is, since its users write in
    /// it.
    package let isKept: Bool

    init(_ name: String, _ text: String, isKept: Bool) {
        self.name = name
        self.text = text
        self.isKept = isKept
    }
}

/// What in a model can't be said in Swift.
package struct CodegenError: Error, Sendable, Hashable, CustomStringConvertible {
    package let faults: [String]

    package init(faults: [String]) {
        self.faults = faults
    }

    package var description: String { faults.joined(separator: "; ") }
}
