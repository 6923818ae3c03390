internal import DocumentFiles
internal import Foundation
package import Schema

/// Merges the values of an attribute that both sides changed.
///
/// An attribute may say in its user info, under `folio.merge`, how that is done: `sum` adds both
/// differences, `max` and `min` take the greater and the smaller value, `text` merges line by line,
/// `ours` and `theirs` take that side's value.
package struct AttributeMerge {
    /// The key in the user info of attributes.
    package static let ruleKey = "folio.merge"

    package enum Rule: String, Sendable {
        case sum, max, min, text, ours, theirs

        /// Nil for an attribute without a rule, or with an unknown one.
        init?(_ attribute: AttributeDescription) {
            guard let name = attribute.userInfo[AttributeMerge.ruleKey] else { return nil }
            self.init(rawValue: name)
        }
    }

    /// What is left to be decided.
    package struct Conflict: Sendable {
        /// The parts of a composite attribute that lead to the value; empty for the attribute
        /// itself.
        package var path: [String]
        package var base: PropertyValue
        package var ours: PropertyValue
        package var theirs: PropertyValue
    }

    private let decide: (Conflict) -> PropertyValue
    private(set) var conflicts: [Conflict] = []

    /// - Parameter decide: The value of what can't be merged.
    init(_ decide: @escaping (Conflict) -> PropertyValue) { self.decide = decide }

    mutating func merge(
        by rule: Rule?, base: PropertyValue, ours: PropertyValue, theirs: PropertyValue
    ) -> PropertyValue {
        merge(base, ours, theirs, rule, [])
    }

    private mutating func merge(
        _ base: PropertyValue, _ ours: PropertyValue, _ theirs: PropertyValue, _ rule: Rule?, _ path: [String]
    ) -> PropertyValue {
        if ours.isSame(as: theirs) || theirs.isSame(as: base) { return ours }
        if ours.isSame(as: base) { return theirs }
        if let rule, let value = Self.value(rule, base, ours, theirs) { return value }
        if let parts = mergedParts(base, ours, theirs, path) { return parts }
        let conflict = Conflict(path: path, base: base, ours: ours, theirs: theirs)
        conflicts.append(conflict)
        return decide(conflict)
    }

    /// A composite by its parts; one that is nil counts as one without values.
    private mutating func mergedParts(
        _ base: PropertyValue, _ ours: PropertyValue, _ theirs: PropertyValue, _ path: [String]
    ) -> PropertyValue? {
        guard let left = ours.parts, let right = theirs.parts else { return nil }
        guard !ours.isNull || !theirs.isNull else { return nil }
        let old = base.parts ?? [:]
        var merged: [String: PropertyValue] = [:]
        for name in Set(left.keys).union(right.keys).union(old.keys).sorted() {
            let value = merge(
                old[name] ?? .null, left[name] ?? .null, right[name] ?? .null, nil, path + [name])
            if !value.isNull { merged[name] = value }
        }
        return merged.isEmpty ? .null : .composite(merged)
    }

    /// Nil where the rule says nothing of such values.
    private static func value(
        _ rule: Rule, _ base: PropertyValue, _ ours: PropertyValue, _ theirs: PropertyValue
    ) -> PropertyValue? {
        switch rule {
        case .ours: ours
        case .theirs: theirs
        case .sum: sum(base, ours, theirs)
        case .max: greater(ours, theirs).map { $0 ? ours : theirs }
        case .min: greater(ours, theirs).map { $0 ? theirs : ours }
        case .text: text(base, ours, theirs)
        }
    }

    private static func sum(_ base: PropertyValue, _ ours: PropertyValue, _ theirs: PropertyValue) -> PropertyValue? {
        switch (ours, theirs) {
        case (.int(let left), .int(let right)):
            guard let old = base.int(orNull: 0) else { return nil }
            let (sum, overflow) = left.addingReportingOverflow(right)
            let (value, below) = sum.subtractingReportingOverflow(old)
            return overflow || below ? nil : .int(value)
        case (.double(let left), .double(let right)):
            if case .double(let old) = base { return finite(left + (right - old)).map { .double($0) } }
            return base.isNull ? finite(left + right).map { .double($0) } : nil
        case (.float(let left), .float(let right)):
            if case .float(let old) = base { return finite(left + (right - old)).map { .float($0) } }
            return base.isNull ? finite(left + right).map { .float($0) } : nil
        case (.decimal(let left), .decimal(let right)):
            if case .decimal(let old) = base { return .decimal(left + (right - old)) }
            return base.isNull ? .decimal(left + right) : nil
        default: return nil
        }
    }

    private static func finite<Number: BinaryFloatingPoint>(_ value: Number) -> Number? {
        value.isFinite ? value : nil
    }

    /// Whether the first value is the greater one; nil counts as less than any value. Nil for what
    /// has no order.
    private static func greater(_ left: PropertyValue, _ right: PropertyValue) -> Bool? {
        switch (left, right) {
        case (.null, _): false
        case (_, .null): true
        case (.int(let a), .int(let b)): a > b
        case (.double(let a), .double(let b)): a.isNaN || b.isNaN ? nil : a > b
        case (.float(let a), .float(let b)): a.isNaN || b.isNaN ? nil : a > b
        case (.decimal(let a), .decimal(let b)): a.isNaN || b.isNaN ? nil : a > b
        case (.date(let a), .date(let b)): a > b
        case (.bool(let a), .bool(let b)): a && !b
        default: nil
        }
    }

    private static func text(_ base: PropertyValue, _ ours: PropertyValue, _ theirs: PropertyValue) -> PropertyValue? {
        guard case .string(let left) = ours, case .string(let right) = theirs else { return nil }
        switch base {
        case .string(let old): return SequenceMerge.text(base: old, ours: left, theirs: right).map { .string($0) }
        case .null: return SequenceMerge.text(base: "", ours: left, theirs: right).map { .string($0) }
        default: return nil
        }
    }
}

extension PropertyValue {
    /// The parts of a composite value, none for nil; nil for other values.
    fileprivate var parts: [String: PropertyValue]? {
        switch self {
        case .composite(let parts): parts
        case .null: [:]
        default: nil
        }
    }

    fileprivate func int(orNull value: Int64) -> Int64? {
        switch self {
        case .int(let number): number
        case .null: value
        default: nil
        }
    }
}
