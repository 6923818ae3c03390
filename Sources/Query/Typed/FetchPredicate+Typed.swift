public import Foundation
import Schema

extension FetchPredicate {
    /// The predicate that a `#Predicate` of Foundation says.
    ///
    /// ```swift
    /// try FetchPredicate(#Predicate<Book> { book in book.year > 1960 && book.author?.name.starts(with: "H") == true })
    /// ```
    /// Every node is translated or refused. Texts are equal by their code units, where Swift counts
    /// canonically equivalent ones as equal; unwrapping a nil makes a comparison false instead of
    /// trapping.
    /// - Throws: ``QueryError`` with code `unsupported` that names the node that a query has no
    ///   form for, or `unknownKey` for a key path that its class does not list.
    public init<Object>(_ predicate: Predicate<Object>) throws(QueryError) {
        let scope = TypedScope(variables: [predicate.variable.key: .evaluatedObject])
        let expression = predicate.expression
        self = try QueryError.typed { try scope.condition(expression) }
    }
}

extension SortKey {
    /// The key that a `SortDescriptor` of Foundation says.
    /// - Throws: ``QueryError`` with code `unknownKey` for a key path that its class does not list,
    ///   `unsupported` for a comparator that orders texts otherwise than by their code units:
    ///   ``SortKey`` has collations for that.
    public init<Object: KeyPathNaming>(_ descriptor: SortDescriptor<Object>) throws(QueryError) {
        guard let keyPath = descriptor.keyPath else { throw TypedScope.unsupported("\(descriptor)") }
        guard let name = Object.namesByKeyPath[keyPath] else {
            throw QueryError(
                .unknownKey, "\(Object.self) has no name for \(keyPath): namesByKeyPath lists those that queries know")
        }
        // Other orders of texts are this toolkit's own: SortKey's collations.
        guard descriptor.stringComparator == nil || descriptor.stringComparator == .lexical else {
            throw QueryError(
                .unsupported,
                "A query can't sort by \(descriptor.stringComparator.map { "\($0)" } ?? ""): use a SortKey with a collation"
            )
        }
        self.init(name, ascending: descriptor.order == .forward)
    }
}

extension FetchRequest where Result: KeyPathNaming {
    /// A request in Foundation's own terms.
    ///
    /// ```swift
    /// let request = try FetchRequest<Book>("Book", where: #Predicate { $0.year > 1960 }, sortBy: [SortDescriptor(\.title)])
    /// ```
    /// - Throws: what ``FetchPredicate/init(_:)`` and ``SortKey/init(_:)`` throw.
    public init(
        _ entityName: String, where predicate: Predicate<Result>?, sortBy descriptors: [SortDescriptor<Result>] = []
    ) throws(QueryError) {
        self.init(entityName)
        self.predicate = try QueryError.typed { try predicate.map { try FetchPredicate($0) } }
        sortKeys = try QueryError.typed { try descriptors.map { try SortKey($0) } }
    }
}
