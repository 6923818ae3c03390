import Query
import Schema

// Random requests for rows of values: columns of every kind, groups with conditions, distinct rows,
// orders and windows.
extension PredicateGenerator {
    mutating func table(for entity: EntityDescription) -> FetchRequest<[String: PropertyValue]> {
        bases = [Base(expression: nil, entity: entity)]
        var request = FetchRequest<[String: PropertyValue]>(entityName: entity.name)
        let isGrouped = random.chance(45)
        if isGrouped {
            request.propertiesToGroupBy = (0..<Int.random(in: 1...2, using: &random)).map {
                FetchColumn.keyPath(path($0))
            }
        }
        let aggregatesAll = !isGrouped && random.chance(20)
        var columns: [FetchColumn] = []
        for place in 0..<Int.random(in: isGrouped || aggregatesAll ? 1...4 : 0...4, using: &random) {
            let name = "column\(place)"
            if isGrouped || aggregatesAll {
                if isGrouped, random.chance(40), case .keyPath(let path) = random.pick(request.propertiesToGroupBy) {
                    columns.append(.expression(ExpressionDescription(name, grouped(path))))
                } else {
                    columns.append(
                        .expression(
                            ExpressionDescription(
                                name, rowAggregate(),
                                expressionResultType: random.pick([nil, nil, nil, .integer32, .double, .string]))))
                }
            } else {
                switch Int.random(in: 0..<6, using: &random) {
                case 0: columns.append(.expression(ExpressionDescription(name, number(2))))
                case 1: columns.append(.expression(ExpressionDescription(name, text(2))))
                case 2: columns.append(.expression(ExpressionDescription(name, date(2))))
                default: columns.append(.expression(ExpressionDescription(name, .keyPath(path(place)))))
                }
            }
        }
        request.propertiesToFetch = columns
        request.returnsDistinctResults = random.chance(35)
        if isGrouped, random.chance(50) {
            let left =
                random.chance(30) && !columns.isEmpty
                ? QueryExpression.variable(random.pick(columns).name) : rowAggregate()
            request.havingPredicate = compare(
                left, random.pick(Self.orders),
                .constant(random.pick([.int(random.pick(LibraryData.integers)), .double(0.5), .null])))
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            guard !columns.isEmpty else { break }
            request.sortDescriptors.append(
                SortKey(
                    random.pick(columns).name, ascending: random.chance(50),
                    collation: random.pick([.binary, .caseInsensitive, .localizedStandard])))
        }
        request.fetchOffset = random.pick([0, 0, 0, 1, 3])
        request.fetchLimit = random.pick([0, 0, 0, 1, 5])
        return request
    }

    private mutating func path(_ place: Int) -> String {
        let base = bases[0].entity
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            if let toOne = relationships(of: base, toMany: false).randomElement(using: &random) { return toOne.name }
            return "objectID"
        case 1: return random.chance(30) ? "objectID" : random.pick(base.attributes.filter { !$0.isTransient }).name
        default: return attribute(where: { _ in true })?.components.joined(separator: ".") ?? "objectID"
        }
    }

    /// Something that a grouped path decides.
    private mutating func grouped(_ path: String) -> QueryExpression {
        let plain = QueryExpression.keyPath(path)
        guard random.chance(25) else { return plain }
        return .conditional(compare(plain, .equal, .constant(.null)), .constant(.int(1)), .constant(.int(2)))
    }

    private mutating func rowAggregate() -> QueryExpression {
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return .function("count:", [.evaluatedObject])
        case 1: return .function("count:", [anything()])
        case 2: return .function(random.pick(["min:", "max:"]), [text(1)])
        case 3:
            return .function(
                random.pick(["min:", "max:"]),
                [
                    random.chance(50)
                        ? date(1)
                        : attribute(where: { $0 == .uuid || $0 == .uri || $0 == .decimal })?.expression ?? date(0)
                ])
        case 4: return .function("add:to:", [.function("sum:", [number(0)]), .function("count:", [anything()])])
        default:
            return .function(
                random.pick(["sum:", "average:", "min:", "max:", "count:"]),
                [
                    random.chance(60)
                        ? attribute(where: { $0.isNumeric || $0 == .boolean })?.expression ?? number(0) : number(1)
                ])
        }
    }
}
