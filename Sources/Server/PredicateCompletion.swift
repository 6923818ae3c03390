import Coding
import Folio

/// How the word at the end of a predicate's text can go on.
struct PredicateCompletion {
    /// What of the word stands there already, after the last dot.
    let prefix: Substring
    let items: [JSONValue]

    private static let words = [
        "AND", "OR", "NOT", "ANY", "ALL", "NONE", "IN", "BETWEEN", "CONTAINS[cd]", "BEGINSWITH[cd]", "ENDSWITH[cd]",
        "LIKE[cd]", "MATCHES", "TRUEPREDICATE", "FALSEPREDICATE", "SUBQUERY", "SELF", "NULL", "TRUE", "FALSE",
    ]
    private static let collections = ["@count", "@sum", "@avg", "@min", "@max"]

    init(_ text: Substring, _ entity: EntityDescription, _ model: ManagedObjectModel) {
        func isPart(_ character: Character) -> Bool {
            character.isLetter || character.isNumber || character == "_" || character == "." || character == "@"
        }
        let path = text.reversed().prefix(while: isPart).reversed()
        let parts = String(path).split(separator: ".", omittingEmptySubsequences: false)
        let last = parts.last ?? ""
        prefix = text.suffix(last.count)
        var entity = entity, isToMany = false
        for part in parts.dropLast() {
            guard let property = entity.property(named: String(part)), let relationship = property.relationship,
                let destination = model.destination(of: relationship)
            else {
                items = []
                return
            }
            entity = destination
            isToMany = isToMany || property.isToMany
        }
        func fits(_ word: String) -> Bool { word.lowercased().hasPrefix(last.lowercased()) }
        var items = entity.properties.filter { fits($0.name) }.sorted { $0.name < $1.name }.map { property in
            JSONValue.object([
                "text": .string(property.name),
                "kind": .string(property.attribute == nil ? "relationship" : "attribute"),
                "detail": .string(property.attribute?.type.name ?? property.relationship?.destinationEntityName ?? ""),
            ])
        }
        func add(_ words: [String], _ kind: String) {
            items += words.filter(fits).map {
                .object(["text": .string($0), "kind": .string(kind), "detail": .string("")])
            }
        }
        if isToMany { add(Self.collections, "collection") }
        if parts.count <= 1 { add(Self.words, "word") }
        self.items = items
    }
}
