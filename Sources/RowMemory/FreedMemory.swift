internal import CSystem

/// Memory that was freed and that the C library keeps in case that it is wanted again.
package enum FreedMemory {
    /// Gives it back to the system: after many rows and objects have gone, which come in small
    /// pieces and would stay with the process otherwise. Costs a pass over all free pieces.
    package static func giveBack() { folio_trim_memory() }
}
