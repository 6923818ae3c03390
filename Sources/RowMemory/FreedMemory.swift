internal import CSystem

/// Freed memory that the C library keeps for reuse.
package enum FreedMemory {
    /// Returns it to the system. Useful after many rows and objects were freed, which consist of
    /// small allocations and would otherwise remain with the process. Costs a pass over all free
    /// allocations.
    package static func giveBack() { folio_trim_memory() }
}
