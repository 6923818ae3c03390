import Foundation
import Schema

/// Compiles predicate and expression trees to closures.
struct PredicateCompiler {
    enum Binding {
        case value(QueryValue)
        /// An index into `PredicateScope.slots`, and the entity of the slot's objects if it is
        /// known.
        case slot(Int, EntityDescription?)
    }

    let entity: EntityDescription?
    let model: ManagedObjectModel?
    let now: Date
    var bindings: [String: Binding]
    /// The first free index in `PredicateScope.slots`.
    var depth = 0

    init(entity: EntityDescription?, model: ManagedObjectModel?, now: Date, bindings: [String: Binding]) {
        self.entity = entity
        self.model = model
        self.now = now
        self.bindings = bindings
    }

    /// Creates a compiler for variables whose values are in the first slots.
    init(entity: EntityDescription, model: ManagedObjectModel, now: Date, slots: [String]) {
        let bindings = slots.enumerated().map { ($0.element, Binding.slot($0.offset, nil)) }
        self.init(entity: entity, model: model, now: now, bindings: Dictionary(bindings) { first, _ in first })
        depth = slots.count
    }

    func test(_ predicate: FetchPredicate) throws -> CompiledPredicate.Test {
        switch predicate {
        case .constant(let value):
            return { _ in value }
        case .not(let inner):
            let inner = try test(inner)
            return { try !inner(&$0) }
        case .and(let parts):
            let parts = try parts.map(test)
            return { scope in
                for part in parts where try !part(&scope) { return false }
                return true
            }
        case .or(let parts):
            let parts = try parts.map(test)
            return { scope in
                for part in parts where try part(&scope) { return true }
                return false
            }
        case .comparison(let comparison):
            return try test(comparison)
        }
    }

    private func test(_ comparison: ComparisonPredicate) throws -> CompiledPredicate.Test {
        let left = try value(comparison.left)
        guard case .constant(let constant) = comparison.right else {
            let right = try value(comparison.right)
            let matcher = ValueMatcher(comparison.operator, comparison.options)
            switch comparison.modifier {
            case .direct: return { try matcher.matches(left(&$0), right(&$0)) }
            case .any:
                return { scope in
                    let right = try right(&scope)
                    return try Self.any(left(&scope)) { try matcher.matches($0, right) }
                }
            case .all:
                return { scope in
                    let right = try right(&scope)
                    return try Self.all(left(&scope)) { try matcher.matches($0, right) }
                }
            }
        }
        let matches = try ValueMatcher.prepared(comparison.operator, constant, comparison.options)
        switch comparison.modifier {
        case .direct:
            // A fast path for the most frequent case: a property of the object compared with a
            // constant.
            if case .keyPath(nil, let keys) = comparison.left, keys.count == 1,
                let index = entity?.property(named: keys[0])?.index
            {
                return { scope in
                    guard case .object(let object) = scope.root else { return try matches(left(&scope)) }
                    return try matches(object.queryValue(at: index))
                }
            }
            return { try matches(left(&$0)) }
        case .any: return { try Self.any(left(&$0), matches) }
        case .all: return { try Self.all(left(&$0), matches) }
        }
    }

    private static func any(_ value: QueryValue, _ matches: (QueryValue) throws -> Bool) throws -> Bool {
        guard let elements = value.elements else { return try matches(value) }
        return try elements.contains(where: matches)
    }

    private static func all(_ value: QueryValue, _ matches: (QueryValue) throws -> Bool) throws -> Bool {
        guard let elements = value.elements else { return try matches(value) }
        return try elements.allSatisfy(matches)
    }
}
