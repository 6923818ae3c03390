/// The members of a JSON object, with access by name and type.
package struct JSONFields {
    /// A member that is missing or of another type.
    package struct Failure: Error, CustomStringConvertible {
        /// The path to the member: names joined by full stops.
        package let place: String
        /// The rest of a sentence that begins with the path: “is missing”.
        package let problem: String
        package var description: String { "“\(place)” \(problem)" }
    }

    private let members: [String: JSONValue]
    private let path: String

    /// - Throws: ``Failure`` if `value` is not an object.
    package init(_ value: JSONValue, path: String = "") throws {
        guard let members = value.object else { throw Failure(place: path, problem: "has the wrong type") }
        self.members = members
        self.path = path
    }

    private func place(_ name: String) -> String { path.isEmpty ? name : "\(path).\(name)" }

    /// The member `name`, converted by `convert`; nil if it is missing or null.
    package func optional<Value>(_ name: String, _ convert: (JSONValue) -> Value?) throws -> Value? {
        guard let member = members[name], member != .null else { return nil }
        guard let value = convert(member) else { throw Failure(place: place(name), problem: "has the wrong type") }
        return value
    }

    /// The member `name`, converted by `convert`.
    package func required<Value>(_ name: String, _ convert: (JSONValue) -> Value?) throws -> Value {
        guard let value = try optional(name, convert) else { throw Failure(place: place(name), problem: "is missing") }
        return value
    }

    package func string(_ name: String) throws -> String { try required(name, \.string) }
    package func int<Number: FixedWidthInteger>(_ name: String) throws -> Number { try required(name) { $0.int() } }
    package func object(_ name: String) throws -> JSONFields {
        try JSONFields(required(name) { $0 }, path: place(name))
    }
}
