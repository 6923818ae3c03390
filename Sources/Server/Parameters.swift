import Coding

/// The parameters of a request, by name.
struct Parameters {
    private let members: [String: JSONValue]

    /// - Parameter allowed: The names that the method knows.
    /// - Throws: ``RPCError`` for parameters that are missing or of another type.
    init(_ json: JSONValue?, allowed: [String]) throws {
        switch json {
        case nil, .null: members = [:]
        case .object(let members): self.members = members
        default: throw RPCError(.invalidParams, "the parameters are an object")
        }
        if let unknown = members.keys.filter({ !allowed.contains($0) }).min() {
            let names = allowed.isEmpty ? "none" : allowed.joined(separator: ", ")
            throw RPCError(.invalidParams, "there is no parameter \(unknown); the method has \(names)")
        }
    }

    init(_ members: [String: JSONValue]) { self.members = members }

    /// The parameter, nil for null.
    func json(_ name: String) -> JSONValue? {
        guard let value = members[name], value != .null else { return nil }
        return value
    }

    private func required<Value>(_ name: String, _ value: Value?) throws -> Value {
        guard let value else { throw RPCError(.invalidParams, "the parameter \(name) is missing") }
        return value
    }

    private func wrong(_ name: String, _ what: String) -> RPCError {
        RPCError(.invalidParams, "the parameter \(name) is \(what)")
    }

    func optionalString(_ name: String) throws -> String? {
        guard let value = json(name) else { return nil }
        guard let text = value.string else { throw wrong(name, "a string") }
        return text
    }

    func string(_ name: String) throws -> String { try required(name, optionalString(name)) }

    func optionalInt(_ name: String) throws -> Int? {
        guard let value = json(name) else { return nil }
        guard let number = value.int(Int.self) else { throw wrong(name, "a whole number") }
        return number
    }

    /// A number that is not negative.
    func optionalCount(_ name: String) throws -> Int? {
        guard let number = try optionalInt(name) else { return nil }
        guard number >= 0 else { throw wrong(name, "not negative") }
        return number
    }

    func int(_ name: String) throws -> Int { try required(name, optionalInt(name)) }

    func bool(_ name: String) throws -> Bool {
        guard let value = json(name) else { return false }
        guard case .bool(let bool) = value else { throw wrong(name, "true or false") }
        return bool
    }

    func strings(_ name: String) throws -> [String] {
        guard let value = json(name) else { return [] }
        guard let strings = value.strings else { throw wrong(name, "an array of strings") }
        return strings
    }

    /// An array of objects.
    func objects(_ name: String, allowed: [String]) throws -> [Parameters] {
        guard let elements = try required(name, json(name)).array else { throw wrong(name, "an array of objects") }
        return try elements.map { element in
            guard element.object != nil else { throw wrong(name, "an array of objects") }
            return try Parameters(element, allowed: allowed)
        }
    }

    func object(_ name: String) throws -> [String: JSONValue] {
        guard let value = json(name) else { return [:] }
        guard let object = value.object else { throw wrong(name, "an object") }
        return object
    }

    func requiredObject(_ name: String) throws -> [String: JSONValue] {
        _ = try required(name, json(name))
        return try object(name)
    }

    /// A path, as the system can have it.
    func optionalPath(_ name: String) throws -> String? {
        guard let path = try optionalString(name) else { return nil }
        guard !path.isEmpty, !path.contains("\0") else { throw wrong(name, "a path: no empty string, and without NUL") }
        return path
    }

    func path(_ name: String) throws -> String { try required(name, optionalPath(name)) }

    /// One of some words; nil where there is none.
    func choice<Value>(_ name: String, _ choices: KeyValuePairs<String, Value>) throws -> Value? {
        guard let word = try optionalString(name) else { return nil }
        guard let choice = choices.first(where: { $0.key == word }) else {
            throw wrong(name, "one of \(choices.map(\.key).joined(separator: ", "))")
        }
        return choice.value
    }
}
