import Foundation
import Query

/// A predicate that is neither a comparison nor compound.
final class FormatPredicate: NSPredicate {
    let predicate: FetchPredicate

    init(_ predicate: FetchPredicate) {
        self.predicate = predicate
        super.init(value: true)
    }

    override var predicateFormat: String { predicate.predicateFormat }
    override var description: String { predicateFormat }

    override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool {
        predicate.holds(for: object, bindings)
    }

    override func isEqual(_ object: Any?) -> Bool { (object as? FormatPredicate)?.predicate == predicate }

    override var hash: Int { predicate.hashValue }

    override func copy(with zone: NSZone? = nil) -> Any { self }
}

/// A compound predicate with a text of its own.
final class FormatCompoundPredicate: NSCompoundPredicate {
    override var predicateFormat: String { (try? fetchPredicate().predicateFormat) ?? super.description }
    override var description: String { predicateFormat }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSCompoundPredicate, let own = try? fetchPredicate() else { return false }
        return (try? other.fetchPredicate()) == own
    }

    override var hash: Int { (try? fetchPredicate().hashValue) ?? 0 }
}
