/// What a store has that requests do not give, because another program wrote it: numbers for a
/// message of what a copy lacks.
package struct StoreOmissions: Sendable, Hashable {
    /// Cells that are not of their attribute's type and read as nil.
    package var cells = 0
    /// Rows of join tables that lead to no row.
    package var links = 0

    package init() {}

    package var isEmpty: Bool { self == StoreOmissions() }
}
