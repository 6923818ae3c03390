public import Foundation
import ObjectGraph
import Query
import Schema

/// What `NSPredicate` gets here: Foundation has the class on Linux, and not the format language.
/// Not for other types.
public protocol NSPredicateFormatting {}

extension NSPredicate: NSPredicateFormatting {}

extension NSPredicateFormatting where Self: NSPredicate {
    /// Creates a predicate from format text and values for its placeholders.
    ///
    /// ```swift
    /// let recent = NSPredicate(format: "author.name BEGINSWITH[c] %@ AND year > %d", "h", 1960)
    /// ```
    /// Values may be of any type that predicates know, with nil for a null. The result is an
    /// `NSCompoundPredicate` or an `NSComparisonPredicate` where the text is one. Traps for text
    /// that is no predicate, as on Apple's platforms; `FetchPredicate(format:)` throws instead.
    public init(format: String, _ arguments: Any?...) {
        self = instance(FormatPredicate.make(format, arguments))
    }

    /// Creates a predicate from format text and an array of values for its placeholders.
    ///
    /// Traps for text that is no predicate.
    public init(format: String, argumentArray arguments: [Any]?) {
        self = instance(FormatPredicate.make(format, arguments ?? []))
    }

    /// The predicate with variables (`$NAME`) replaced by values. Variables without a value are
    /// kept. Traps for a predicate of a closure.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        let constants = variables.mapValues { value -> (any PredicateArgument)? in
            BridgedValue.propertyValue(value)
        }
        do {
            return instance(FormatPredicate.make(try fetchPredicate().withSubstitutionVariables(constants)))
        } catch {
            preconditionFailure("\(error)")
        }
    }
}

extension FetchPredicate {
    /// Whether a value of any type satisfies the predicate. Traps where it can't be evaluated, as
    /// Core Data does.
    func holds(for value: Any?, _ bindings: [String: Any]?) -> Bool {
        do {
            var predicate = self
            if let bindings {
                predicate = predicate.withSubstitutionVariables(
                    bindings.mapValues { value -> (any PredicateArgument)? in BridgedValue.propertyValue(value) })
            }
            if let object = value as? NSManagedObject {
                return try predicate.namingEntity(of: object).evaluate(with: object)
            }
            if let object = value as? ManagedObject { return try predicate.evaluate(with: object) }
            if let objects = (value as? NSSet)?.allObjects as? [ManagedObject], !objects.isEmpty {
                return try predicate.evaluate(with: objects)
            }
            guard let constant = BridgedValue.propertyValue(value) else {
                throw QueryError(.type, "A value of the type \(type(of: value)) has no keys that a predicate can use")
            }
            return try predicate.evaluate(with: constant)
        } catch {
            preconditionFailure("\(predicateFormat) can't be evaluated: \(error)")
        }
    }
}

extension FetchPredicate {
    /// The predicate with the key `entity`, which every object of Core Data's has, replaced by the
    /// name of an object's entity. Entities as arguments are their names as well.
    fileprivate func namingEntity(of object: NSManagedObject) -> FetchPredicate {
        let entity = object.modelEntity
        guard entity.property(named: "entity") == nil else { return self }
        return replacing { expression, _ in
            switch expression {
            case .keyPath(nil, ["entity"]), .keyPath(nil, ["entity", "name"]),
                .keyPath(.evaluatedObject?, ["entity"]), .keyPath(.evaluatedObject?, ["entity", "name"]):
                .constant(.string(entity.name))
            default: nil
            }
        }
    }
}

/// Foundation marks the text as of no use on Linux; that of its own simple predicates says which
/// they are.
private protocol PredicateText {
    var predicateFormat: String { get }
}

extension NSPredicate: PredicateText {}

extension NSPredicate {
    /// The predicate for Folio's requests.
    ///
    /// - Throws: ``QueryError`` with code `unsupported` for one of a closure, which no store can
    ///   run, `limit` for one that is nested too deep.
    func fetchPredicate() throws -> FetchPredicate {
        try fetchPredicate(within: TreeDepth.limit, flattens: !fits(TreeDepth.limit))
    }

    /// Whether the predicate has at most this number of levels.
    private func fits(_ limit: Int) -> Bool {
        var rest: [(predicate: NSPredicate, depth: Int)] = [(self, 1)]
        while let (predicate, depth) = rest.popLast() {
            if depth > limit { return false }
            guard let compound = predicate as? NSCompoundPredicate else { continue }
            rest += compound.parts.map { ($0, depth + 1) }
        }
        return true
    }

    private var withoutDoubleNegations: NSPredicate {
        var predicate = self
        while let inner = predicate.negated as? NSCompoundPredicate, let core = inner.negated { predicate = core }
        return predicate
    }

    private var negated: NSPredicate? {
        guard let compound = self as? NSCompoundPredicate, compound.compoundPredicateType == .not else { return nil }
        return compound.parts.first
    }

    /// - Parameter flattens: Whether connectives in themselves and double negations are left out.
    private func fetchPredicate(within levels: Int, flattens: Bool) throws -> FetchPredicate {
        switch flattens ? withoutDoubleNegations : self {
        case let format as FormatPredicate: return format.predicate
        case let comparison as NSComparisonPredicate: return .comparison(comparison.comparison)
        case let compound as NSCompoundPredicate:
            guard levels > 0 else { throw TreeDepth.error() }
            let type = compound.compoundPredicateType
            var parts: [FetchPredicate] = [], rest = Array(compound.parts.reversed())
            while let next = rest.popLast() {
                let inner = flattens ? next as? NSCompoundPredicate : nil
                if type != .not, let inner, inner.compoundPredicateType == type || inner.isOfOnePart {
                    rest += inner.parts.reversed()
                } else {
                    parts.append(try next.fetchPredicate(within: levels - 1, flattens: flattens))
                }
            }
            switch type {
            case .and: return .and(parts)
            case .or: return .or(parts)
            case .not: return .not(parts.first ?? .constant(false))
            @unknown default: throw QueryError(.unsupported, "This kind of compound predicate is not known")
            }
        default:
            switch (self as any PredicateText).predicateFormat {
            case "TRUEPREDICATE": return .constant(true)
            case "FALSEPREDICATE": return .constant(false)
            default: throw QueryError(.unsupported, "A predicate of a closure can't be run by a store")
            }
        }
    }
}

extension NSCompoundPredicate {
    fileprivate var parts: [NSPredicate] { subpredicates }

    fileprivate var isOfOnePart: Bool { compoundPredicateType != .not && subpredicates.count == 1 }
}
