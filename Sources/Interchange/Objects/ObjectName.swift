package import Folio

/// Parses object names on the command line: `x-coredata://<store UUID>/<Entity>/p<n>` or
/// `<Entity>/p<n>`.
package enum ObjectName {
    /// - Throws: A usage error for text that does not name an object of this store's model.
    package static func id(_ text: String, in store: StoreIdentity) throws -> ManagedObjectID {
        if let id = ManagedObjectID(text: text, store: store) { return id }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        if parts.count == 5, parts[0] == "x-coredata:" {
            if parts[2].uppercased() != store.uuid {
                throw InterchangeError(
                    .notFound, "unknownObject", "\(text) is an object of another store; this one is \(store.uuid)")
            }
            _ = try EntityLookup.entity(named: String(parts[3]), in: store.model)
        } else if parts.count == 2 {
            _ = try EntityLookup.entity(named: String(parts[0]), in: store.model)
        }
        throw InterchangeError.usage(
            "\(text) does not name an object", hint: "write Entity/p1, or the URI that export and insert print")
    }

    package static func isName(_ text: String) -> Bool {
        text.hasPrefix("x-coredata:") || text.contains("/p")
    }
}
