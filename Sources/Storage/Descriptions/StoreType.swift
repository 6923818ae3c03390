/// A type of persistent store, identified by the name that is used in store metadata.
public struct StoreType: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A SQLite database in Core Data's layout.
    public static let sqlite = StoreType(rawValue: "SQLite")
    /// A binary file that is read and written as a whole, in Folio's own format.
    public static let binary = StoreType(rawValue: "Binary")
    /// An XML file that is read and written as a whole.
    public static let xml = StoreType(rawValue: "XML")
    /// A store in memory, which is lost when it is closed.
    public static let inMemory = StoreType(rawValue: "InMemory")
}
