import Schema

/// What the next save of a context has to look at besides the changes.
struct NextSave {
    /// The number of the save before.
    var lastNumber = 0
    /// The unchanged objects whose conflicts the save detects.
    var watchedObjects: Set<ManagedObjectID> = []
    /// The first error of an accessor that could not read a value and does not throw; the save
    /// throws it.
    var loadError: (any Error)?
    /// The last failure of an application's own validation method, with the key and value that it
    /// validated.
    var ownFailure: ValidationError.Failure?
}
