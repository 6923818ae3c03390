import Foundation
import Query

/// What the methods of migration policies give, as expressions, for a program that does not have
/// their classes.
///
/// ```swift
/// let policies = try PolicyExpressions(["MakerPolicy.shout:=uppercase($1)", "MakerPolicy.plate=$source.number"])
/// let mapping = try MappingModel(contentsOf: url).applying(policies)
/// ```
/// A definition has one of three forms:
/// - `POLICY.SELECTOR=EXPRESSION`: the value of `FUNCTION($entityPolicy, "SELECTOR", …)`, with
///   `$1`, `$2` and so on for its arguments;
/// - `POLICY.PROPERTY=EXPRESSION`: the value of a property that the policy sets by itself;
/// - `POLICY`: the policy creates objects as the mapping says.
public struct PolicyExpressions: Sendable, Hashable {
    private struct Definition: Sendable, Hashable {
        let policy: String
        let member: String
        let expression: QueryExpression

        /// Whether it defines a method; the colon of a single argument may be left out.
        func isMethod(_ selector: String) -> Bool { member == selector || member + ":" == selector }
    }

    /// The names of the policies, in the order of the definitions.
    public private(set) var policyNames: [String] = []
    private var definitions: [Definition] = []

    /// Reads definitions.
    ///
    /// - Throws: ``MigrationError`` with code `invalidMapping` for one that can't be read.
    public init(_ texts: [String]) throws(MigrationError) {
        for text in texts {
            guard let sign = text.firstIndex(of: "=") else {
                try note(text.trimmingCharacters(in: .whitespaces), text)
                continue
            }
            let place = text[..<sign].trimmingCharacters(in: .whitespaces)
            guard let dot = place.lastIndex(of: "."), place.index(after: dot) < place.endIndex else {
                throw MigrationError(
                    .invalidMapping, "“\(text)” names no method or property of a policy: POLICY.METHOD=EXPRESSION")
            }
            let name = String(place[..<dot])
            try note(name, text)
            do {
                definitions.append(
                    Definition(
                        policy: name, member: String(place[place.index(after: dot)...]),
                        expression: try QueryExpression(
                            format: Self.withNamedArguments(text[text.index(after: sign)...]))))
            } catch {
                throw MigrationError(
                    .invalidMapping, "The expression of “\(text)” can't be read: \(error)", underlying: error)
            }
        }
    }

    private mutating func note(_ name: String, _ text: String) throws(MigrationError) {
        guard !name.isEmpty, !name.contains(where: \.isWhitespace) else {
            throw MigrationError(.invalidMapping, "“\(text)” names no policy")
        }
        if !policyNames.contains(name) { policyNames.append(name) }
    }

    /// Whether a policy that a mapping names is defined. The module may be left out.
    fileprivate func defines(_ name: String) -> Bool { policyNames.contains { Self.isSame($0, name) } }

    private static func isSame(_ one: String, _ other: String) -> Bool {
        one == other || one == other.split(separator: ".").last.map(String.init)
    }

    // MARK: Arguments

    /// Names of variables begin with a letter: `$1` is read as this with the number behind it.
    private static let argument = "argument"

    private static func number(_ name: String) -> Int? {
        name.hasPrefix(argument) ? Int(name.dropFirst(argument.count)) : nil
    }

    private static func withNamedArguments(_ text: Substring) -> String {
        var result = "", quote: Character?, isEscaped = false, last: Character?
        for character in text {
            if let open = quote {
                if !isEscaped, character == open { quote = nil }
                isEscaped = !isEscaped && character == "\\"
            } else if character == "\"" || character == "'" {
                quote = character
            } else if last == "$", character.isNumber {
                result += argument
            }
            result.append(character)
            last = character
        }
        return result
    }

    // MARK: Applying

    /// An entity mapping without its policy.
    /// - Parameter selectors: The methods that mappings call of the policy.
    fileprivate func applied(to mapping: EntityMapping, _ name: String, calling selectors: Set<String>)
        throws(MigrationError) -> EntityMapping
    {
        var result = mapping
        let own = definitions.filter { Self.isSame($0.policy, name) }
        var missing: [String] = []
        func rewritten(_ properties: [PropertyMapping]) -> [PropertyMapping] {
            properties.map { property in
                var property = property
                property.valueExpression = property.valueExpression.map { Self.rewritten($0, own, &missing) }
                return property
            }
        }
        result.attributeMappings = rewritten(mapping.attributeMappings)
        result.relationshipMappings = rewritten(mapping.relationshipMappings)
        if let first = missing.first {
            throw MigrationError(
                .policy,
                "The mapping “\(mapping.name)” asks the policy \(name) for “\(first)”, which is not defined: \(name).\(first)=EXPRESSION"
            )
        }
        for definition in own
        where !definition.member.contains(":") && !selectors.contains(where: { definition.isMethod($0) }) {
            let property = PropertyMapping(definition.member, valueExpression: definition.expression)
            if let place = result.relationshipMappings.firstIndex(where: { $0.name == definition.member }) {
                result.relationshipMappings[place] = property
            } else if let place = result.attributeMappings.firstIndex(where: { $0.name == definition.member }) {
                result.attributeMappings[place] = property
            } else {
                result.attributeMappings.append(property)
            }
        }
        result.migrationPolicyName = nil
        if result.kind == .custom { result.kind = .transform }
        return result
    }

    /// An expression with the calls of the policy replaced by what they give.
    private static func rewritten(
        _ expression: QueryExpression, _ definitions: [Definition], _ missing: inout [String]
    ) -> QueryExpression {
        var lacks = missing
        defer { missing = lacks }
        return FetchPredicate.replacing(expression) { part, _ in
            guard case .call(.variable("entityPolicy"), let selector, let arguments) = part else { return nil }
            guard let definition = definitions.first(where: { $0.isMethod(selector) }) else {
                lacks.append(selector)
                return nil
            }
            let values = arguments.map { rewritten($0, definitions, &lacks) }
            return FetchPredicate.replacing(definition.expression) { part, bound in
                switch part {
                case .variable(let name):
                    guard !bound.contains(name), let number = Self.number(name), values.indices.contains(number - 1)
                    else {
                        return nil
                    }
                    return values[number - 1]
                case .keyPath(.variable(let name), let keys):
                    guard let number = Self.number(name), values.indices.contains(number - 1) else { return nil }
                    if case .keyPath(let base, let first) = values[number - 1] {
                        return .keyPath(base: base, components: first + keys)
                    }
                    return .keyPath(base: values[number - 1], components: keys)
                default: return nil
                }
            }
        }
    }
}

extension MappingModel {
    /// The mapping model with the policies that are defined by expressions replaced by these.
    /// Others stay.
    ///
    /// - Throws: ``MigrationError`` with code `policy` if a mapping calls a method that is not
    ///   defined.
    public func applying(_ policies: PolicyExpressions) throws(MigrationError) -> MappingModel {
        var mappings: [EntityMapping] = []
        for mapping in entityMappings {
            guard let name = mapping.migrationPolicyName, policies.defines(name) else {
                mappings.append(mapping)
                continue
            }
            mappings.append(try policies.applied(to: mapping, name, calling: selectors(calledOf: name)))
        }
        return MappingModel(entityMappings: mappings)
    }

    private func selectors(calledOf name: String) -> Set<String> {
        var selectors: Set<String> = []
        for mapping in entityMappings where mapping.migrationPolicyName == name {
            for property in mapping.attributeMappings + mapping.relationshipMappings {
                _ = property.valueExpression.map {
                    FetchPredicate.replacing($0) { part, _ in
                        if case .call(.variable("entityPolicy"), let selector, _) = part { selectors.insert(selector) }
                        return nil
                    }
                }
            }
        }
        return selectors
    }

    /// The names of the policies of the entity mappings, sorted.
    public var migrationPolicyNames: [String] { Set(entityMappings.compactMap(\.migrationPolicyName)).sorted() }
}
