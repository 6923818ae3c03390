/// The actual or expected effects of a migration in place, for display.
package struct MigrationReport: Sendable, Hashable {
    /// One line for every step.
    package var steps: [String]
    /// The SQL of the steps.
    package var statements: [String]
    /// The number of rows that the steps process, counted once for every pass; an estimate from the
    /// tables' greatest primary keys.
    package var rows: Int64 = 0
    /// The greatest number of bytes that the steps write, estimated from the share of the rows; 0
    /// if only the schema changes.
    package var bytes: Int64 = 0
    /// Whether there are any steps.
    package var isNeeded: Bool { !steps.isEmpty }
}

extension MigrationReport {
    init(_ steps: [MigrationStep], rows: Int64 = 0, bytes: Int64 = 0) {
        self.init(steps: steps.map(\.title), statements: steps.map(\.statement), rows: rows, bytes: bytes)
    }
}
