import Schema

extension CodeGenerator {
    /// The files that Xcode generates: a class, which users extend, and its properties.
    func coreDataFiles(for model: ManagedObjectModel, named name: String) throws(CodegenError) -> [GeneratedFile] {
        var files: [GeneratedFile] = []
        for writer in try coreDataWriters(for: model, named: name) {
            let header = "\(accessLevel.prefix)import CoreData\n\n"
            if isClassGenerated(writer.entity) {
                files.append(
                    GeneratedFile(
                        "\(writer.className)+CoreDataClass.swift", header + writer.classText, isKept: true))
            }
            files.append(
                GeneratedFile(
                    "\(writer.className)+CoreDataProperties.swift", ClassWriter.notice + header + writer.propertiesText,
                    isKept: false))
        }
        return files
    }

    /// The same as one text.
    func coreDataText(for model: ManagedObjectModel, named name: String) throws(CodegenError) -> String {
        let writers = try coreDataWriters(for: model, named: name)
        // An import that nothing public uses is a warning.
        var text = ClassWriter.notice + "\(writers.isEmpty ? "" : accessLevel.prefix)import CoreData\n"
        for writer in writers {
            text += "\n" + (isClassGenerated(writer.entity) ? writer.classText + "\n" : "") + writer.propertiesText
        }
        return text
    }

    private func coreDataWriters(for model: ManagedObjectModel, named name: String) throws(CodegenError)
        -> [CoreDataClassWriter]
    {
        let names = try SwiftNames(model, modelName: name, .coreData)
        return model.entities.compactMap { entity in
            guard isGenerated(entity), let className = names.classes[entity.name] else { return nil }
            return CoreDataClassWriter(
                entity: entity, className: className, model: model, names: names, access: accessLevel.prefix)
        }
    }
}
