package import Query
package import RowMemory

/// A store that executes batch updates and batch deletions itself, without loading the objects.
package protocol BatchStore: StoreBackend {
    /// Sets properties of all objects that a request selects and increments their versions. All
    /// objects are updated or none.
    /// - Throws: `QueryError` with code `unsupported` if the store can't execute the request or
    ///   compute a value. Nothing is changed then.
    func update(_ update: BatchUpdate, origin: ChangeOrigin) throws -> BatchReceipt
    /// Deletes all objects that a request selects, by the delete rules of the model. All objects
    /// are deleted or none.
    /// - Throws: `StorageError` with code `constraint` if a deny rule applies or a remaining object
    ///   would lose a mandatory relationship; `QueryError` as above.
    func delete(_ request: RowRequest, origin: ChangeOrigin) throws -> BatchReceipt
}

/// New values for all objects that a request selects.
package struct BatchUpdate: Sendable {
    package struct Assignment: Sendable {
        /// An attribute, or a to-one relationship that is set to a constant.
        package var propertyIndex: Int
        /// The validated expression. A constant has the property's type.
        package var value: QueryExpression

        package init(propertyIndex: Int, value: QueryExpression) {
            self.propertyIndex = propertyIndex
            self.value = value
        }
    }

    package var request: RowRequest
    package var assignments: [Assignment]

    package init(_ request: RowRequest, assignments: [Assignment]) {
        self.request = request
        self.assignments = assignments
    }
}

/// The result of a batch request.
package struct BatchReceipt: Sendable {
    /// The objects that the request selected.
    package var selected: [ObjectReference]
    /// Other objects that were deleted by cascade rules.
    package var cascaded: [ObjectReference]
    /// Other objects that were changed because they referred to deleted ones.
    package var changed: [ObjectReference]

    package init(selected: [ObjectReference] = [], cascaded: [ObjectReference] = [], changed: [ObjectReference] = []) {
        self.selected = selected
        self.cascaded = cascaded
        self.changed = changed
    }
}
