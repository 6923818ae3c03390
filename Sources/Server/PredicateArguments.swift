import Coding
import Folio
import Interchange

/// The parameter `arguments` of a condition: an object with the values of its variables `$NAME`, or
/// an array with those of its placeholders `%@`.
///
/// Strings mean what they mean in the text of a condition: beside a date they are a date, beside an
/// object its name.
struct PredicateArguments {
    private static let name = "arguments"

    /// The values of the variables.
    let variables: VariableValues
    /// The values of the placeholders; nil without an array.
    private let positions: [PropertyValue]?

    init(_ parameters: Parameters) throws {
        var named: [String: PropertyValue] = [:], positions: [PropertyValue]?
        switch parameters.json(Self.name) {
        case nil: break
        case .object(let members):
            for (key, value) in members { named[String(key.drop { $0 == "$" })] = try Self.value(value) }
        case .array(let elements): positions = try elements.map(Self.value)
        default:
            throw RPCError(
                .invalidParams,
                "the parameter \(Self.name) is an object with values of $NAME, or an array with those of %@")
        }
        variables = VariableValues(named, parameter: Self.name)
        self.positions = positions
    }

    private static func value(_ json: JSONValue) throws -> PropertyValue {
        switch json {
        case .null: return .null
        case .bool(let value): return .bool(value)
        case .string(let text): return .string(text)
        case .number(let text):
            if let number = Int64(text) { return .int(number) }
            guard let number = Double(text), number.isFinite else { break }
            return .double(number)
        case .array(let elements): return .list(try elements.map(value))
        case .object: break
        }
        throw RPCError(
            .invalidParams, "a value in \(name) is null, true, false, a number, a string or an array of these")
    }

    /// A condition with the values of its placeholders.
    func predicate(_ text: String) throws -> FetchPredicate {
        try FetchPredicate(format: text, arguments: positions ?? [])
    }

    /// The text of a condition with the values of its placeholders.
    func placed(in text: String) throws -> String {
        positions == nil ? text : try predicate(text).description
    }

    /// - Throws: ``RPCError`` for values of placeholders that no condition has.
    func refusePositions() throws {
        guard let positions, !positions.isEmpty else { return }
        throw RPCError(.invalidParams, "the array \(Self.name) goes with the parameter where")
    }
}
