public import Foundation
import Query

/// What `NSSortDescriptor` gets here: Foundation has the class on Linux, and no keys in it. Not for
/// other types.
public protocol NSSortDescriptorKeys {}

extension NSSortDescriptor: NSSortDescriptorKeys {}

extension NSSortDescriptorKeys where Self: NSSortDescriptor {
    /// Sorts by the value of a key or key path.
    public init(key: String?, ascending: Bool) {
        self = instance(KeySortDescriptor(SortKey(key ?? "self", ascending: ascending), selector: nil))
    }

    /// Sorts by the value of a key or key path, as a method of strings compares.
    ///
    /// The methods are `compare:`, `caseInsensitiveCompare:`, `localizedCompare:`,
    /// `localizedCaseInsensitiveCompare:` and `localizedStandardCompare:`; traps for others, which
    /// no store knows.
    public init(key: String?, ascending: Bool, selector: Selector?) {
        self = instance(
            KeySortDescriptor(
                SortKey(
                    key ?? "self", ascending: ascending, collation: KeySortDescriptor.collation(selector)),
                selector: selector))
    }

    /// Sorts by the value of a key or key path, as a closure compares. Stores know no closures: a
    /// fetch throws, and arrays can be sorted.
    public init(key: String?, ascending: Bool, comparator: @escaping Comparator) {
        self = instance(
            KeySortDescriptor(SortKey(key ?? "self", ascending: ascending), selector: nil, comparator: comparator))
    }

    /// Sorts by the value of a key path of any type.
    public init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        if let key = KeyNames.name(of: keyPath) {
            self = instance(KeySortDescriptor(SortKey(key, ascending: ascending), selector: nil))
        } else {
            self = instance(
                NSSortDescriptor(keyPath: keyPath, ascending: ascending) { left, right in
                    KeySortDescriptor.order(left, right)
                })
        }
    }

    /// The key or key path; nil for a descriptor of values without names.
    public var key: String? { (self as? KeySortDescriptor)?.own.keyPath ?? sortKey?.keyPath }

    /// The method of strings that compares; nil for values compared as they are.
    public var selector: Selector? { (self as? KeySortDescriptor)?.comparisonSelector }

    /// The descriptor for Folio's requests; nil for one of a closure.
    var sortKey: SortKey? {
        if let own = self as? KeySortDescriptor { return own.ownComparator == nil ? own.own : nil }
        return KeyNames.name(of: keyPath).map { SortKey($0, ascending: ascending) }
    }
}

/// A descriptor that sorts by a key.
final class KeySortDescriptor: NSSortDescriptor {
    let own: SortKey
    let comparisonSelector: Selector?
    let ownComparator: Comparator?

    init(_ key: SortKey, selector: Selector?, comparator: Comparator? = nil) {
        own = key
        comparisonSelector = selector
        ownComparator = comparator
        super.init(
            keyPath: \String.self, ascending: key.isAscending, comparator: comparator ?? { Self.order($0, $1) })
    }

    override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        let left = value(of: object1), right = value(of: object2)
        let order =
            if let ownComparator { ownComparator(left ?? NSNull(), right ?? NSNull()) } else {
                Self.order(left, right, own.collation)
            }
        guard !own.isAscending else { return order }
        return order == .orderedAscending ? .orderedDescending : order == .orderedDescending ? .orderedAscending : order
    }

    override var reversedSortDescriptor: Any {
        KeySortDescriptor(
            SortKey(own.keyPath, ascending: !own.isAscending, collation: own.collation), selector: comparisonSelector,
            comparator: ownComparator)
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? KeySortDescriptor else { return false }
        // Closures can't be compared.
        return other === self || other.own == own && other.ownComparator == nil && ownComparator == nil
    }

    override var hash: Int { own.hashValue }

    override func copy(with zone: NSZone? = nil) -> Any { self }

    override var description: String {
        "(\(own.keyPath), \(own.isAscending ? "ascending" : "descending"), \(comparisonSelector?.name ?? "compare:"))"
    }

    private func value(of object: Any) -> Any? {
        if let object = object as? NSManagedObject { return object.value(forKeyPath: own.keyPath) }
        if own.keyPath == "self" { return object }
        return (object as? [String: Any])?[own.keyPath]
    }

    /// The descriptor of a key that a store is asked to sort by.
    convenience init(_ key: SortKey) {
        let name: String? =
            switch key.collation {
            case .binary: nil
            case .caseInsensitive: "caseInsensitiveCompare:"
            case .localized: "localizedCompare:"
            case .localizedCaseInsensitive: "localizedCaseInsensitiveCompare:"
            case .localizedStandard: "localizedStandardCompare:"
            }
        self.init(key, selector: name.map { Selector($0) })
    }

    static func collation(_ selector: Selector?) -> SortKey.Collation {
        switch selector?.name {
        case nil, "compare:": .binary
        case "caseInsensitiveCompare:": .caseInsensitive
        case "localizedCompare:": .localized
        case "localizedCaseInsensitiveCompare:": .localizedCaseInsensitive
        case "localizedStandardCompare:": .localizedStandard
        case let name?: preconditionFailure("No store can sort by the method \(name)")
        }
    }

    /// Nil stands before everything.
    static func order(_ left: Any?, _ right: Any?, _ collation: SortKey.Collation = .binary) -> ComparisonResult {
        switch (left, right) {
        case (nil, nil): return .orderedSame
        case (nil, _): return .orderedAscending
        case (_, nil): return .orderedDescending
        case (let left?, let right?):
            if let left = left as? String, let right = right as? String { return order(left, right, collation) }
            if let left = left as? NSNumber, let right = right as? NSNumber { return left.compare(right) }
            if let left = left as? Date, let right = right as? Date { return left.compare(right) }
            return order("\(left)", "\(right)", collation)
        }
    }

    private static func order(_ left: String, _ right: String, _ collation: SortKey.Collation) -> ComparisonResult {
        switch collation {
        case .binary: left == right ? .orderedSame : left < right ? .orderedAscending : .orderedDescending
        case .caseInsensitive: left.caseInsensitiveCompare(right)
        case .localized: left.localizedCompare(right)
        case .localizedCaseInsensitive: left.localizedCaseInsensitiveCompare(right)
        case .localizedStandard: left.localizedStandardCompare(right)
        }
    }
}
