public import Foundation
import Schema

extension FetchPredicate {
    /// Creates a predicate from a `#Predicate` of Foundation.
    ///
    /// ```swift
    /// try FetchPredicate(#Predicate<Book> { book in book.year > 1960 && book.author?.name.starts(with: "H") == true })
    /// ```
    /// Every part of the expression is translated, or the predicate is rejected. Two differences to
    /// Swift remain: strings are compared by code units, while Swift also treats canonically
    /// equivalent strings as equal; and a comparison with a force-unwrapped nil is false instead of
    /// trapping.
    ///
    /// - Throws: ``QueryError`` with code `unsupported`, naming the part that has no translation,
    ///   or `unknownKey` for a key path that its class does not list.
    public init<Object>(_ predicate: Predicate<Object>) throws(QueryError) {
        let scope = TypedScope(variables: [predicate.variable.key: .evaluatedObject])
        let expression = predicate.expression
        self = try QueryError.typed { try scope.condition(expression) }
    }
}

extension SortKey {
    /// Creates a sort key from a `SortDescriptor` of Foundation.
    ///
    /// - Throws: ``QueryError`` with code `unknownKey` for a key path that its class does not list,
    ///   or `unsupported` for a comparator other than the lexical one; use the collations of
    ///   ``SortKey`` instead.
    public init<Object: KeyPathNaming>(_ descriptor: SortDescriptor<Object>) throws(QueryError) {
        guard let keyPath = descriptor.keyPath else { throw TypedScope.unsupported("\(descriptor)") }
        guard let name = Object.namesByKeyPath[keyPath] else {
            throw QueryError(
                .unknownKey, "\(Object.self) has no name for \(keyPath): namesByKeyPath lists those that queries know")
        }
        // Only `SortKey` has collations for the other orders of texts.
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
    /// Creates a request from a predicate and sort descriptors of Foundation.
    ///
    /// ```swift
    /// let request = try FetchRequest<Book>(entityName: "Book", where: #Predicate { $0.year > 1960 }, sortBy: [SortDescriptor(\.title)])
    /// ```
    /// - Throws: The errors of ``FetchPredicate/init(_:)`` and ``SortKey/init(_:)``.
    public init(
        entityName: String, where predicate: Predicate<Result>?, sortBy descriptors: [SortDescriptor<Result>] = []
    ) throws(QueryError) {
        self.init(entityName: entityName)
        self.predicate = try QueryError.typed { try predicate.map { try FetchPredicate($0) } }
        sortDescriptors = try QueryError.typed { try descriptors.map { try SortKey($0) } }
    }
}
