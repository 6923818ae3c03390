extension ObjectRegistry {
    /// The context that the registry is of.
    var context: ManagedObjectContext { withContext { $0 } }

    /// Calls `body` with the context, without holding it for that.
    @inline(__always) func withContext<Result>(_ body: (ManagedObjectContext) throws -> Result) rethrows -> Result {
        guard let owner else {
            preconditionFailure("The context of these objects is gone: keep it as long as you use its objects")
        }
        // A context alone opens a registry: with itself.
        return try owner._withUnsafeGuaranteedRef { try body(unsafeDowncast($0, to: ManagedObjectContext.self)) }
    }
}
