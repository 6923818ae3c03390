extension ManagedObjectContext {
    /// Puts the changes of an autosave back that the store did not write, and prepares it again as the merge policy settles it; where that does not, without the unique values that
    /// stand in its way.
    ///
    /// At first those are left out that two objects have; where what stays in the store for them is in the way of others, all unique values that would be written.
    /// - Returns: The save, and what it leaves out: for ``takeUp(_:)`` once it is complete.
    /// - Throws: the error where it is none of unique values.
    package func prepareAutosave(again failed: PreparedSave, after error: any Error) throws -> (save: PreparedSave?, left: [PendingUniqueValue]) {
        try UniqueValueDeferral(self).prepareAutosave(again: failed, after: error)
    }

    /// Makes values changes of their objects that the store lacks. No edits: neither undo nor the position of the edits knows of them. What was changed here since stays.
    package func takeUp(_ pending: [PendingUniqueValue]) throws { try UniqueValueDeferral(self).takeUp(pending) }
}
