/// An object of a keyed archive. Two values are equal if they are the same object of the same
/// archive.
package struct ArchivedObject: Sendable {
    package let archive: KeyedArchive
    /// The index in the archive's table of objects. It identifies the object, for detecting cycles.
    package let index: Int

    /// The entry in the archive's table of objects: a dictionary with a `$class`, or a simple
    /// value.
    package var raw: PropertyListValue { archive.objects[index] }

    /// The class and its superclasses, the class first; empty for simple values (strings, numbers
    /// and most data have no class).
    package var classChain: [String] {
        guard let reference = raw[key: "$class"]?.uid, reference < UInt64(archive.objects.count) else { return [] }
        let entry = archive.objects[Int(reference)]
        let chain = entry[key: "$classes"]?.array?.compactMap(\.string) ?? []
        if let name = entry[key: "$classname"]?.string, chain.first != name { return [name] + chain }
        return chain
    }

    package var className: String? { classChain.first }

    package func isKind(of name: String) -> Bool { classChain.contains(name) }

    /// The raw value of the field `key`.
    package func field(_ key: String) -> PropertyListValue? {
        raw[key: key]
    }

    package func has(_ key: String) -> Bool { field(key) != nil }

    /// The object that the field refers to; nil if the field is missing or null.
    package func object(_ key: String) throws(CodingError) -> ArchivedObject? {
        guard let field = field(key) else { return nil }
        do {
            return try archive.resolve(field)
        } catch {
            throw CodingError(error.code, error.message, object: "\(className ?? "object \(index)").\(key)")
        }
    }

    /// The object that the field refers to; throws if it is missing.
    package func required(_ key: String) throws(CodingError) -> ArchivedObject {
        guard let object = try object(key) else {
            throw CodingError(.missing, "the field “\(key)” is missing", object: className ?? "object \(index)")
        }
        return object
    }
}

extension ArchivedObject: Hashable {
    package static func == (left: ArchivedObject, right: ArchivedObject) -> Bool {
        left.archive === right.archive && left.index == right.index
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(index)
    }
}
