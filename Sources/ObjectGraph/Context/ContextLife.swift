/// Tells those who outlive a context that it is gone.
final class ContextLife {
    /// Not counted; cleared by the context's deinit.
    var context: Unmanaged<ManagedObjectContext>?
}
