package import Schema

/// Makes Swift classes for the entities of a model.
///
/// Each entity that names a class gives two files, as Xcode's own generation does: `Book+Class.swift` with the class, which its users fill with methods and
/// overridden hooks, and `Book+Properties.swift` with its properties, which is written anew whenever the model changes. `ShopModel.swift` has the model and the list of
/// the classes. The same model gives the same text.
package struct CodeGenerator {
    package enum AccessLevel: String, CaseIterable, Sendable {
        case `public`, `package`, `internal`

        var prefix: String { self == .internal ? "" : rawValue + " " }
    }

    /// Which entities get files.
    package enum Selection: Sendable {
        /// Every entity that names a class.
        case all
        /// Those whose code generation is not manual in Xcode: class and properties for “Class Definition”, properties alone for “Category/Extension”.
        case asDeclared
    }

    package var accessLevel: AccessLevel = .public
    package var selection: Selection = .all
    /// Whether classes get `Encodable` conformance and a method that takes values from JSON.
    package var isCodable = false

    package init() {}

    /// - Parameters:
    ///   - model: The model.
    ///   - name: What the model is called, such as `Shop`; the enum of the last file is named after it.
    ///   - contents: The model's XML, which the last file carries.
    /// - Throws: `CodegenError` with everything that can't be said in Swift.
    package func files(for model: ManagedObjectModel, named name: String, contents: String) throws(CodegenError) -> [GeneratedFile] {
        let names = try SwiftNames(model)
        var files: [GeneratedFile] = []
        for entity in model.entities {
            guard let className = names.classes[entity.name] else { continue }
            let declared = entity.description.extraMarkup["codeGenerationType"]
            if selection == .asDeclared, declared == nil { continue }
            let writer = ClassWriter(entity: entity, className: className, model: model, names: names, generator: self)
            if selection == .all || declared == "class" { files.append(GeneratedFile("\(className)+Class.swift", writer.classText, isKept: true)) }
            files.append(GeneratedFile("\(className)+Properties.swift", writer.propertiesText, isKept: false))
        }
        let modelWriter = ModelWriter(model: model, name: SwiftNames.typeName(name), names: names, generator: self)
        files.append(GeneratedFile("\(SwiftNames.typeName(name))Model.swift", modelWriter.text(contents: contents), isKept: false))
        return files
    }
}

/// A file of generated code.
package struct GeneratedFile: Sendable, Hashable {
    package let name: String
    package let text: String
    /// Whether a file of this name that is there already stays as it is, since its users write in it.
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
