import Foundation
import Query
import Schema

/// Makes random predicates over the library's data: every operator, every kind of value, paths of
/// every shape.
struct PredicateGenerator {
    /// Something that paths begin at: SELF or a subquery's variable.
    struct Base {
        let expression: QueryExpression?
        let entity: EntityDescription
    }

    private struct Collection {
        let expression: QueryExpression
        let entity: EntityDescription
    }

    var random: SeededGenerator
    let data: LibraryData
    var bases: [Base] = []
    private var model: ManagedObjectModel { data.model }

    init(_ data: LibraryData, seed: UInt64) {
        self.data = data
        random = SeededGenerator(seed: seed)
    }

    mutating func predicate(for entity: EntityDescription) -> FetchPredicate {
        bases = [Base(expression: nil, entity: entity)]
        return predicate(depth: Int.random(in: 0...3, using: &random))
    }

    mutating func sortKeys(for entity: EntityDescription) -> [SortKey] {
        (0..<Int.random(in: 0...2, using: &random)).compactMap { _ in
            bases = [Base(expression: nil, entity: entity)]
            guard let path = attribute(where: { ![.composite, .transformable, .undefined, .objectID].contains($0) }),
                !path.components.contains("cover")
            else { return nil }
            let collation = random.pick([
                SortKey.Collation.binary, .caseInsensitive, .localized, .localizedStandard, .localizedCaseInsensitive,
            ])
            return SortKey(path.components.joined(separator: "."), ascending: random.chance(50), collation: collation)
        }
    }

    // MARK: Predicates

    mutating func predicate(depth: Int) -> FetchPredicate {
        guard depth > 0 else { return comparison(depth: 0) }
        switch Int.random(in: 0..<10, using: &random) {
        case 0, 1: return .and(parts(depth))
        case 2, 3: return .or(parts(depth))
        case 4: return .not(predicate(depth: depth - 1))
        case 5: return .constant(random.chance(50))
        default: return comparison(depth: depth)
        }
    }

    private mutating func parts(_ depth: Int) -> [FetchPredicate] {
        (0..<Int.random(in: 0...3, using: &random)).map { _ in predicate(depth: depth - 1) }
    }

    static let orders: [ComparisonPredicate.Operator] = [
        .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual,
    ]
    private static let equalities: [ComparisonPredicate.Operator] = [.equal, .notEqual]
    private static let searches: [ComparisonPredicate.Operator] = [.contains, .beginsWith, .endsWith, .like, .matches]

    private mutating func options() -> ComparisonPredicate.Options {
        random.pick([
            [], [], .caseInsensitive, .diacriticInsensitive, [.caseInsensitive, .diacriticInsensitive], .normalized,
            [.localeSensitive, .caseInsensitive],
        ])
    }

    private mutating func comparison(depth: Int) -> FetchPredicate {
        switch Int.random(in: 0..<14, using: &random) {
        case 0, 1: return compare(number(depth), random.pick(Self.orders), number(depth))
        case 2: return compare(date(depth), random.pick(Self.orders), date(depth))
        case 3: return compare(text(depth), random.pick(Self.orders), text(depth), options())
        case 4:
            return compare(
                text(depth), random.pick(Self.searches), random.chance(80) ? constantPattern() : text(depth), options())
        case 5: return compare(anything(), random.pick(Self.equalities), .constant(.null))
        case 6: return compare(reference(), random.pick(Self.equalities), random.chance(50) ? object() : reference())
        case 7: return between(depth)
        case 8: return membership(depth)
        case 9, 10: return overMany(depth)
        case 11: return compare(number(depth), random.pick(Self.orders), .constant(.int(random.pick([0, 1, 2]))))
        case 12: return exact()
        default: return compare(aggregate(depth), random.pick(Self.orders), number(depth))
        }
    }

    func compare(
        _ left: QueryExpression, _ op: ComparisonPredicate.Operator, _ right: QueryExpression,
        _ options: ComparisonPredicate.Options = [],
        _ modifier: ComparisonPredicate.Modifier = .direct
    ) -> FetchPredicate {
        .comparison(ComparisonPredicate(left, op, right, modifier: modifier, options: options))
    }

    private mutating func between(_ depth: Int) -> FetchPredicate {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: compare(number(depth), .between, .aggregate([number(0), number(0)]))
        case 1: compare(date(depth), .between, .aggregate([date(0), date(0)]))
        default: compare(text(depth), .between, .aggregate([text(0), text(0)]), options())
        }
    }

    /// UUIDs, URIs and binary values.
    private mutating func exact() -> FetchPredicate {
        let type = random.pick([AttributeType.uuid, .uri, .binary])
        guard let path = attribute(where: { $0 == type }), path.components.last != "cover" else {
            return comparison(depth: 0)
        }
        if random.chance(30) {
            return compare(
                path.expression, .in,
                .constant(.list((0..<Int.random(in: 0...20, using: &random)).map { _ in constant(type) })))
        }
        return compare(
            path.expression, random.pick(Self.orders), random.chance(20) ? path.expression : .constant(constant(type)))
    }

    mutating func constant(_ type: AttributeType) -> PropertyValue {
        random.chance(10) ? .null : LibraryData.value(of: type, &random)
    }

    private mutating func membership(_ depth: Int) -> FetchPredicate {
        let count = random.pick([0, 1, 3, 9, 40])
        switch Int.random(in: 0..<7, using: &random) {
        case 0:
            return compare(
                number(depth), .in,
                .constant(.list((0..<count).map { _ in constant(random.pick([.integer32, .double, .boolean])) })))
        case 1:
            return compare(text(depth), .in, .constant(.list((0..<count).map { _ in constant(.string) })), options())
        case 2: return compare(date(depth), .in, .constant(.list((0..<count).map { _ in constant(.date) })))
        case 3: return compare(reference(), .in, .constant(.list((0..<count).map { _ in objectValue() })))
        case 4: return compare(number(depth), .in, .aggregate([number(0), number(0), number(0)]))
        case 5: return compare(text(depth), .in, text(depth), options())
        default:
            guard let many = collection(depth) else { return comparison(depth: 0) }
            return random.chance(50)
                ? compare(object(in: many.entity), .in, many.expression)
                : compare(many.expression, .contains, object(in: many.entity))
        }
    }

    // MARK: Collections

    private mutating func overMany(_ depth: Int) -> FetchPredicate {
        guard let many = collection(depth) else { return comparison(depth: 0) }
        let modifier = random.pick([ComparisonPredicate.Modifier.any, .all])
        let paths = attributes(of: many.entity)
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            return compare(many.expression, random.pick(Self.equalities), object(in: many.entity), [], modifier)
        case 1:
            guard let path = paths.filter({ $0.type == .string }).randomElement(using: &random) else {
                return comparison(depth: 0)
            }
            let op = random.pick(Self.orders + Self.searches)
            return compare(
                extend(many.expression, path.components), op, Self.searches.contains(op) ? constantPattern() : text(0),
                options(), modifier)
        case 2:
            guard let path = paths.filter({ $0.type == .string || $0.type.isNumeric }).randomElement(using: &random)
            else { return comparison(depth: 0) }
            let list = QueryExpression.constant(
                .list((0..<Int.random(in: 0...3, using: &random)).map { _ in constant(path.type) }))
            return compare(extend(many.expression, path.components), .in, list, [], modifier)
        default:
            guard let path = paths.filter({ $0.type.isNumeric || $0.type == .boolean }).randomElement(using: &random)
            else { return comparison(depth: 0) }
            return compare(extend(many.expression, path.components), random.pick(Self.orders), number(0), [], modifier)
        }
    }

    mutating func aggregate(_ depth: Int) -> QueryExpression {
        guard let many = collection(depth) else { return number(0) }
        let paths = attributes(of: many.entity)
        if random.chance(35) { return extend(many.expression, ["@count"]) }
        guard let path = paths.filter({ $0.type.isNumeric || $0.type == .boolean }).randomElement(using: &random) else {
            return extend(many.expression, ["@count"])
        }
        return extend(many.expression, [random.pick(["@sum", "@avg", "@min", "@max", "@count"])] + path.components)
    }

    private func extend(_ expression: QueryExpression, _ components: [String]) -> QueryExpression {
        if case .keyPath(let base, let first) = expression {
            return .keyPath(base: base, components: first + components)
        }
        return .keyPath(base: expression, components: components)
    }

    private mutating func collection(_ depth: Int) -> Collection? {
        let base = random.pick(bases)
        var components: [String] = []
        var entity = base.entity
        if random.chance(30), let step = relationships(of: entity, toMany: false).randomElement(using: &random) {
            components.append(step.name)
            entity = destination(step)
        }
        guard let many = relationships(of: entity, toMany: true).randomElement(using: &random) else { return nil }
        components.append(many.name)
        entity = destination(many)
        if random.chance(20),
            let step = relationships(of: entity, toMany: random.chance(50)).randomElement(using: &random)
        {
            components.append(step.name)
            entity = destination(step)
        }
        let path = QueryExpression.keyPath(base: base.expression, components: components)
        guard depth > 0, random.chance(40) else { return Collection(expression: path, entity: entity) }
        let name = "v\(bases.count)"
        bases.append(Base(expression: .variable(name), entity: entity))
        let condition = predicate(depth: depth - 1)
        bases.removeLast()
        return Collection(expression: .subquery(collection: path, variable: name, predicate: condition), entity: entity)
    }

    func relationships(of entity: EntityDescription, toMany: Bool) -> [PropertyDescription] {
        entity.properties.filter { $0.relationship != nil && $0.isToMany == toMany }
    }

    func destination(_ property: PropertyDescription) -> EntityDescription { model.entities[property.destinationIndex] }

    // MARK: Values

    struct AttributePath {
        let expression: QueryExpression
        let components: [String]
        let type: AttributeType
    }

    func attributes(of entity: EntityDescription) -> [(components: [String], type: AttributeType)] {
        entity.attributes.filter { !$0.isTransient && $0.type != .transformable && !$0.allowsExternalBinaryDataStorage }
            .flatMap { attribute in
                attribute.type == .composite
                    ? [
                        (["place", "floor"], .integer16), (["place", "room"], .string),
                        (["place", "spot", "x"], .double),
                    ] : [([attribute.name], attribute.type)]
            }
    }

    mutating func attribute(where accepts: (AttributeType) -> Bool) -> AttributePath? {
        for _ in 0..<20 {
            let base = random.pick(bases)
            var components: [String] = []
            var entity = base.entity
            while components.count < 2, random.chance(25),
                let step = relationships(of: entity, toMany: false).randomElement(using: &random)
            {
                components.append(step.name)
                entity = destination(step)
            }
            guard let last = attributes(of: entity).filter({ accepts($0.type) }).randomElement(using: &random) else {
                continue
            }
            components += last.components
            return AttributePath(
                expression: .keyPath(base: base.expression, components: components), components: components,
                type: last.type)
        }
        return nil
    }

    mutating func number(_ depth: Int) -> QueryExpression {
        let constants: [PropertyValue] = [
            .int(random.pick(LibraryData.integers)), .double(random.pick(LibraryData.doubles)),
            .decimal(random.pick(LibraryData.decimals)), .null,
        ]
        guard depth > 0, random.chance(40) else {
            if random.chance(30) {
                return .constant(random.chance(3) ? .int(random.pick([.max, .min])) : random.pick(constants))
            }
            return attribute(where: { $0.isNumeric || $0 == .boolean })?.expression ?? .constant(random.pick(constants))
        }
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1, 2:
            let function = random.pick([
                "add:to:", "from:subtract:", "multiply:by:", "divide:by:", "modulus:by:", "raise:toPower:",
                "bitwiseAnd:with:", "bitwiseOr:with:", "bitwiseXor:with:", "leftshift:by:", "rightshift:by:",
            ])
            return .function(function, [number(depth - 1), number(depth - 1)])
        case 3:
            return .function(
                random.pick([
                    "abs:", "ceiling:", "floor:", "trunc:", "sqrt:", "exp:", "log:", "ln:", "onesComplement:",
                    "noindex:",
                ]), [number(depth - 1)])
        case 4: return .conditional(predicate(depth: depth - 1), number(depth - 1), number(depth - 1))
        case 5:
            guard random.chance(50) else { return .function("length:", [text(depth - 1)]) }
            return .function(
                random.pick(["year:", "month:", "day:", "hour:", "minute:", "second:", "weekday:"]), [date(depth - 1)])
        case 6:
            return .cast(
                random.chance(50) ? date(depth - 1) : (random.chance(50) ? text(0) : number(depth - 1)),
                random.pick(["NSNumber", "NSNumber", "NSDecimalNumber"]))
        case 7: return .function("from:subtract:", [date(depth - 1), date(depth - 1)])
        default: return aggregate(depth - 1)
        }
    }

    mutating func date(_ depth: Int) -> QueryExpression {
        guard depth > 0, random.chance(30) else {
            if random.chance(30) { return .constant(constant(.date)) }
            return attribute(where: { $0 == .date })?.expression ?? .constant(constant(.date))
        }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return .function("add:to:", [date(depth - 1), number(depth - 1)])
        case 3:
            let zone = random.pick(["Europe/Oslo", "Asia/Kolkata", "America/St_Johns", "UTC"])
            return .function("local:in:", [date(depth - 1), .constant(.string(zone))])
        case 1: return .function("from:subtract:", [date(depth - 1), number(depth - 1)])
        case 2: return .cast(number(depth - 1), "NSDate")
        default: return .conditional(predicate(depth: depth - 1), date(depth - 1), date(depth - 1))
        }
    }

    mutating func text(_ depth: Int) -> QueryExpression {
        guard depth > 0, random.chance(30) else {
            if random.chance(30) { return .constant(constant(.string)) }
            if random.chance(10), let element = element(),
                let path = attributes(of: element.entity).filter({ $0.type == .string }).randomElement(using: &random)
            {
                return .keyPath(base: element.expression, components: path.components)
            }
            return attribute(where: { $0 == .string })?.expression ?? .constant(constant(.string))
        }
        switch Int.random(in: 0..<3, using: &random) {
        case 0: return .function(random.pick(["lowercase:", "uppercase:", "canonical:"]), [text(depth - 1)])
        case 1: return .conditional(predicate(depth: depth - 1), text(depth - 1), text(depth - 1))
        default:
            guard let path = attribute(where: { $0.isInteger || $0 == .double || $0 == .uuid || $0 == .uri }) else {
                return text(0)
            }
            return .cast(path.expression, "NSString")
        }
    }

    private mutating func constantPattern() -> QueryExpression {
        .constant(
            .string(
                random.pick(
                    LibraryData.texts.filter { $0 != "a*b" }
                        + ["*", "a*", "?b*", "*é", "a\\*b", "ab\\", "[a-b]+", ".*b", "(a|A)b?"].filter {
                            !$0.hasPrefix("*") && !$0.hasPrefix("?") && !$0.hasSuffix("\\")
                        })))
    }

    /// Whatever can be nil.
    mutating func anything() -> QueryExpression {
        let base = random.pick(bases)
        if random.chance(25) {
            return .keyPath(
                base: base.expression,
                components: [random.pick(base.entity.properties.filter { !$0.isToMany && !$0.isTransient }).name])
        }
        return attribute(where: { _ in true })?.expression ?? .evaluatedObject
    }

    // MARK: Objects

    /// An element of an ordered relationship.
    private mutating func element() -> (expression: QueryExpression, entity: EntityDescription)? {
        let base = random.pick(bases)
        guard
            let many = relationships(of: base.entity, toMany: true).filter({ $0.relationship?.isOrdered == true })
                .randomElement(using: &random)
        else { return nil }
        let path = QueryExpression.keyPath(base: base.expression, components: [many.name])
        let index = random.pick([
            QueryExpression.Index.first, .last, .at(.constant(.int(Int64.random(in: -1...4, using: &random)))),
        ])
        return (.element(of: path, index), destination(many))
    }

    mutating func reference() -> QueryExpression {
        if random.chance(10), let element = element() { return element.expression }
        let base = random.pick(bases)
        var components: [String] = []
        var entity = base.entity
        while components.count < 3, random.chance(60),
            let step = relationships(of: entity, toMany: false).randomElement(using: &random)
        {
            components.append(step.name)
            entity = destination(step)
        }
        return components.isEmpty
            ? base.expression ?? .evaluatedObject : .keyPath(base: base.expression, components: components)
    }

    private mutating func objectValue() -> PropertyValue {
        if random.chance(10) { return .null }
        let pool = data.objects[random.pick(["Item", "Person", "Person", "Shelf", "Tag"])] ?? []
        return .object(random.pick(pool).queryID)
    }

    private mutating func object() -> QueryExpression { .constant(objectValue()) }

    private mutating func object(in entity: EntityDescription) -> QueryExpression {
        if random.chance(10) { return .constant(.null) }
        if random.chance(20) { return reference() }
        return .constant(.object(random.pick(data.objects[model.entities[entity.rootIndex].name] ?? []).queryID))
    }
}
