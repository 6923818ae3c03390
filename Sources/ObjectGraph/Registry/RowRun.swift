import RowMemory

/// Rows that follow one another in a slab.
struct RowRun {
    let slab: RowSlab
    let first: Int
    let count: Int
    /// How many rows there are before.
    let start: Int
}
