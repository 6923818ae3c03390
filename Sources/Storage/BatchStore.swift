package import Query
package import RowMemory

/// A store that changes many objects by itself, without anybody reading them.
package protocol BatchStore: StoreBackend {
    /// Sets properties of the objects that a request selects, and raises their versions: all of
    /// them or none.
    /// - Throws: `QueryError` with code `unsupported` where the store can't say the request or a
    ///   value; nothing is changed then.
    func update(_ update: BatchUpdate, origin: ChangeOrigin) throws -> BatchReceipt
    /// Deletes the objects that a request selects, by the model's delete rules: all of them or
    /// none.
    /// - Throws: `StorageError` with code `constraint` where a rule denies it, or an object that
    ///   stays would lose a mandatory relationship; `QueryError` as above.
    func delete(_ request: RowRequest, origin: ChangeOrigin) throws -> BatchReceipt
}

/// New values for all objects that a request selects.
package struct BatchUpdate: Sendable {
    package struct Assignment: Sendable {
        /// An attribute, or a to-one relationship that is set to a constant.
        package var propertyIndex: Int
        /// Validated, and a constant converted to the property's type.
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

/// What became of a batch.
package struct BatchReceipt: Sendable {
    /// The objects that the request selected.
    package var selected: [ObjectReference]
    /// Others that were deleted with them.
    package var cascaded: [ObjectReference]
    /// Others that were changed, since they led to deleted ones.
    package var changed: [ObjectReference]

    package init(selected: [ObjectReference] = [], cascaded: [ObjectReference] = [], changed: [ObjectReference] = []) {
        self.selected = selected
        self.cascaded = cascaded
        self.changed = changed
    }
}
