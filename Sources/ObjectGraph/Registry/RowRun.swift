import RowMemory

/// Consecutive rows of a slab.
struct RowRun {
    let slab: RowSlab
    let first: Int
    let count: Int
    /// The number of rows in the preceding runs.
    let start: Int
}
