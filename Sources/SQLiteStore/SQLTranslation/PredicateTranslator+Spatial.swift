import Foundation
import Query
import Schema
import SQLiteKit

// R-trees: if a request bounds every property of an R-tree, the tree finds the candidate rows.
extension PredicateTranslator {
    private struct Bounds {
        var lower: Double?
        var upper: Double?
        var isEmpty: Bool { lower == nil && upper == nil }
    }

    /// Conditions that are implied by all of `parts`. The tree rounds its numbers outward, so the
    /// parts themselves must be tested too.
    func places(meeting parts: [FetchPredicate]) -> [SQLFragment] {
        let storage = statement.storage
        return layout.placeIndexes(of: storage.table).compactMap { index in
            let all = index.columns.map { bounds(of: $0, storage, parts) }
            guard !all.contains(where: \.isEmpty) else { return nil }
            var tests: [SQLFragment] = []
            for (number, bounds) in all.enumerated() {
                if let lower = bounds.lower {
                    tests.append(.sql("\(name: index.upperName(number)) >= \(value: .real(lower))"))
                }
                if let upper = bounds.upper {
                    tests.append(.sql("\(name: index.lowerName(number)) <= \(value: .real(upper))"))
                }
            }
            return .sql("\(object.key) IN (SELECT id FROM \(name: index.name) WHERE \(tests.joined(" AND ")))")
        }
    }

    private func bounds(of column: String, _ storage: EntityStorage, _ parts: [FetchPredicate]) -> Bounds {
        var bounds = Bounds()
        func raise(_ value: PropertyValue) {
            if let number = Self.coordinate(value) { bounds.lower = max(bounds.lower ?? number, number) }
        }
        func lower(_ value: PropertyValue) {
            if let number = Self.coordinate(value) { bounds.upper = min(bounds.upper ?? number, number) }
        }
        for case .comparison(let comparison) in parts where comparison.modifier == .direct && comparison.options.isEmpty
        {
            let (property, value, isFlipped): (QueryExpression, PropertyValue, Bool)
            switch (comparison.left, comparison.right) {
            case (.keyPath, .constant(let constant)): (property, value, isFlipped) = (comparison.left, constant, false)
            case (.constant(let constant), .keyPath): (property, value, isFlipped) = (comparison.right, constant, true)
            default: continue
            }
            guard case .keyPath(nil, let keys) = property, keys.count == 1,
                let place = layout.model.entities[storage.entityIndex].propertyIndex(named: keys[0]),
                case .attribute(let attribute) = storage.properties[place], attribute.name == column
            else { continue }
            switch comparison.operator {
            case .equal: raise(value); lower(value)
            case .less, .lessOrEqual: if isFlipped { raise(value) } else { lower(value) }
            case .greater, .greaterOrEqual: if isFlipped { lower(value) } else { raise(value) }
            case .between:
                guard !isFlipped, case .list(let limits) = value, limits.count == 2 else { continue }
                raise(limits[0])
                lower(limits[1])
            default: continue
            }
        }
        return bounds
    }

    /// The coordinate of a number or date in an R-tree; nil for other values.
    private static func coordinate(_ value: PropertyValue) -> Double? {
        let number: Double?
        if case .date(let date) = value {
            number = date.timeIntervalSinceReferenceDate
        } else {
            number = ScalarRules.double(value)
        }
        return number.flatMap { $0.isNaN ? nil : min(max($0, -SpatialIndex.limit), SpatialIndex.limit) }
    }
}
