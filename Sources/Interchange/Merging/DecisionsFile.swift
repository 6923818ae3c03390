package import Coding
package import Folio

/// What decides conflicts of a merge: a list of them, or an object that has one, as `merge --json`
/// prints it.
package enum DecisionsFile {
    /// The decisions of a file.
    /// - Throws: Errors with the path of the file, which is none of the document.
    package static func choices(at path: String, _ model: ManagedObjectModel) throws -> [String: DocumentMerge.Choice] {
        let bytes = Array(try InputFile.bytes(at: path))
        do { return try choices(bytes, model) } catch {
            var failure = InterchangeError(mapping: error)
            if failure.path == nil { failure.path = path == "-" ? "standard input" : path }
            failure.hint = failure.hint ?? "folio merge with --json prints the conflicts as such a file has them"
            throw failure
        }
    }

    /// The decisions by the names of conflicts. Conflicts without one are left out.
    /// - Throws: 65 for what is no such list.
    private static func choices(_ bytes: [UInt8], _ model: ManagedObjectModel) throws -> [String: DocumentMerge.Choice]
    {
        let value: JSONValue
        do { value = try JSONReader.value(of: bytes) } catch let failure as JSONReader.Failure {
            throw InterchangeError.malformed("the decisions are no JSON: \(failure)")
        }
        return try choices(value, model)
    }

    package static func choices(_ value: JSONValue, _ model: ManagedObjectModel) throws -> [String: DocumentMerge
        .Choice]
    {
        guard let list = value.array ?? value["conflicts"]?.array else {
            throw InterchangeError.malformed("the decisions are neither a list nor an object with conflicts")
        }
        var choices: [String: DocumentMerge.Choice] = [:]
        for entry in list {
            guard let object = entry["object"]?.string else {
                throw InterchangeError.malformed("a decision names no object")
            }
            let property = entry["property"]?.string, name = property.map { "\(object).\($0)" } ?? object
            if let value = entry["value"] {
                choices[name] = .value(try self.value(value, object, property, name, model))
                continue
            }
            switch entry["choice"] {
            case nil, .null?: continue
            case .string("ours")?: choices[name] = .ours
            case .string("theirs")?: choices[name] = .theirs
            default: throw InterchangeError.malformed("the decision on \(name) is neither ours nor theirs, nor a value")
            }
        }
        return choices
    }

    /// The value of the attribute that a conflict is about.
    package static func value(
        _ value: JSONValue, _ object: String, _ property: String?, _ name: String, _ model: ManagedObjectModel
    ) throws -> PropertyValue {
        guard let property else {
            throw InterchangeError.malformed("\(name) is an object as a whole: decide it by ours or theirs")
        }
        return try ValueParser.value(value, for: try attribute(property, of: object, model), in: model)
    }

    /// The attribute that a conflict is about, or the part of a composite one.
    /// - Throws: A usage error for anything else.
    package static func attribute(_ path: String, of object: String, _ model: ManagedObjectModel) throws
        -> AttributeDescription
    {
        let entity = try EntityLookup.entity(named: String(object.prefix { $0 != "/" }), in: model)
        let names = path.split(separator: ".").map(String.init)
        guard let first = names.first, var attribute = try EntityLookup.property(named: first, of: entity).attribute
        else {
            throw InterchangeError.usage("\(object).\(path) is no attribute: decide it by ours or theirs")
        }
        for name in names.dropFirst() {
            guard let part = model.composite(of: attribute)?.attributes.first(where: { $0.name == name }) else {
                throw InterchangeError.usage("\(object).\(path) is no attribute")
            }
            attribute = part
        }
        return attribute
    }
}
