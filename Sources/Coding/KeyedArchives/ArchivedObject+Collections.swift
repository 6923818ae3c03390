extension ArchivedObject {
    /// The elements of an array or set in archived order; nil if the object is neither. A nil
    /// element was archived as nil.
    package func elements() throws(CodingError) -> [ArchivedObject?]? {
        guard isKind(of: "NSArray") || isKind(of: "NSSet") || isKind(of: "NSOrderedSet") else { return nil }
        if let list = field("NS.objects")?.array { return try resolve(list) }
        // Early archives number the elements with separate keys.
        var result: [ArchivedObject?] = []
        while let next = field("NS.object.\(result.count)") { result.append(try archive.resolve(next)) }
        return result
    }

    /// The pairs of a dictionary, including dictionaries with known keys; nil if the object is not
    /// a dictionary.
    package func entries() throws(CodingError) -> [(key: ArchivedObject, value: ArchivedObject?)]? {
        guard isKind(of: "NSDictionary") else { return nil }
        if isKind(of: "NSKnownKeysDictionary") || className == "NSKnownKeysDictionary1" {
            return try knownKeysEntries()
        }
        if let keys = field("NS.keys")?.array {
            return try pairs(try resolve(keys), try resolve(field("NS.objects")?.array ?? []))
        }
        var result: [(key: ArchivedObject, value: ArchivedObject?)] = []
        while let key = field("NS.key.\(result.count)"), let value = field("NS.object.\(result.count)") {
            guard let name = try archive.resolve(key) else { throw malformed("a key of a dictionary is nil") }
            result.append((name, try archive.resolve(value)))
        }
        return result
    }

    /// The pairs of a dictionary whose keys are strings; nil if the object is not a dictionary.
    package func namedEntries() throws(CodingError) -> [(name: String, value: ArchivedObject?)]? {
        guard let entries = try entries() else { return nil }
        var result: [(name: String, value: ArchivedObject?)] = []
        result.reserveCapacity(entries.count)
        for entry in entries {
            guard let name = entry.key.string else { throw malformed("a key of a dictionary is no string") }
            result.append((name, entry.value))
        }
        return result
    }

    private func knownKeysEntries() throws(CodingError) -> [(key: ArchivedObject, value: ArchivedObject?)] {
        let keys = try required("searchMapping").required("keys").elements() ?? []
        let values = try required("values").elements() ?? []
        // Slots without a value contain the token that `emptyToken` refers to.
        let empty = try object("emptyToken")
        return try pairs(keys, values).filter { $0.value == nil || empty == nil || $0.value != empty }
    }

    private func pairs(
        _ keys: [ArchivedObject?], _ values: [ArchivedObject?]
    ) throws(CodingError) -> [(key: ArchivedObject, value: ArchivedObject?)] {
        guard keys.count == values.count else {
            throw malformed("a dictionary with \(keys.count) keys and \(values.count) values")
        }
        var result: [(key: ArchivedObject, value: ArchivedObject?)] = []
        result.reserveCapacity(keys.count)
        for (key, value) in zip(keys, values) {
            guard let key else { throw malformed("a key of a dictionary is nil") }
            result.append((key, value))
        }
        return result
    }

    private func resolve(_ list: [PropertyListValue]) throws(CodingError) -> [ArchivedObject?] {
        var result: [ArchivedObject?] = []
        result.reserveCapacity(list.count)
        for reference in list { result.append(try archive.resolve(reference)) }
        return result
    }

    private func malformed(_ message: String) -> CodingError {
        CodingError(.malformed, message, object: "\(className ?? "object") \(index)")
    }
}
