import Query
import Schema
import SQLiteKit

// SEARCH: uses the full-text index if it includes all the texts, else scans them. Both give the
// same result.
extension PredicateTranslator {
    func search(_ comparison: ComparisonPredicate, _ wanted: Bool) throws -> SQLFragment {
        guard case .constant(.string(let text)) = comparison.right else {
            throw unsupported("a search for what is no constant")
        }
        let left = try operand(comparison.left)
        switch left {
        case .scalar(let scalar): return try search([scalar], for: text, wanted)
        case .list(let texts): return try search(texts, for: text, wanted)
        case .constants(let values): return try search(try values.map(constant), for: text, wanted)
        case .collection(let collection):
            guard comparison.modifier != .direct else {
                throw typeError("\(comparison.left) has many values: use ANY or ALL")
            }
            let isAny = comparison.modifier == .any
            return exists(collection, try search([scalar(collection.element)], for: text, isAny), isAny == wanted)
        }
    }

    private func search(_ texts: [SQLScalar], for text: String, _ wanted: Bool) throws -> SQLFragment {
        for side in texts where !side.kind.isText && !side.isNull {
            throw typeError("A \(side.kind.name) is no string")
        }
        let query = SearchQuery(text)
        if query.isEmpty { return .constant(!wanted) }
        let found =
            indexed(texts, query) ?? .sql("FolioSearch(\(([.value(.text(text))] + texts.map(\.sql)).joined(", ")))")
        return wanted ? found : found.isNotTrue
    }

    /// Nil unless all texts are columns of one row and are in one full-text index.
    private func indexed(_ texts: [SQLScalar], _ query: SearchQuery) -> SQLFragment? {
        let columns = texts.compactMap { $0.attribute?.name }
        guard let row = texts.first?.row, columns.count == texts.count,
            texts.allSatisfy({ $0.isColumn && $0.row?.key == row.key }),
            let index = layout.searchIndex(of: row.table), columns.allSatisfy(index.columns.contains)
        else { return nil }
        return .sql(
            "\(row.key) IN (SELECT rowid FROM \(name: index.name) WHERE \(name: index.name) MATCH \(value: .text(query.expression(columns: columns))))"
        )
    }
}
