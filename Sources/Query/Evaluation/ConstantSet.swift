import Foundation
import Schema

/// The constants of an IN, for fast lookup by the equality of ``ScalarRules``.
struct ConstantSet {
    /// A string that is compared by code units. `String` itself uses canonical equivalence.
    private struct Units: Hashable {
        let text: String

        static func == (a: Units, b: Units) -> Bool { TextOrder.equal(a.text, b.text) }

        func hash(into hasher: inout Hasher) {
            for unit in text.utf8 { hasher.combine(unit) }
        }
    }

    private var integers: Set<Int64> = []
    private var texts: Set<Units> = []
    private var references: Set<ManagedObjectID> = []
    private var identifiers: Set<UUID> = []
    private var numbers: [PropertyValue] = []
    private var others: [PropertyValue] = []

    init(_ values: [PropertyValue]) {
        for value in values {
            switch value {
            case .int(let number): integers.insert(number)
            case .object(let id): references.insert(id)
            case .uuid(let uuid): identifiers.insert(uuid)
            default:
                if let text = ScalarRules.text(value) {
                    texts.insert(Units(text: text))
                } else if !ScalarRules.isNull(value), ScalarRules.number(value) != nil {
                    numbers.append(value)
                } else {
                    others.append(value)
                }
            }
        }
    }

    func contains(_ value: PropertyValue) -> Bool {
        switch value {
        case .object(let id): return references.contains(id)
        case .uuid(let uuid): return identifiers.contains(uuid)
        default: break
        }
        if ScalarRules.isNull(value) { return others.contains(where: ScalarRules.isNull) }
        if let text = ScalarRules.text(value) { return texts.contains(Units(text: text)) }
        guard let number = ScalarRules.number(value) else { return others.contains { ScalarRules.equal($0, value) } }
        switch number {
        case .int(let integer): if integers.contains(integer) { return true }
        case .double(let double): if let integer = Int64(exactly: double), integers.contains(integer) { return true }
        }
        return numbers.contains { ScalarRules.equal($0, value) }
    }
}
