/// A kind of persistent store, by the name that store metadata uses.
public struct StoreType: RawRepresentable, Sendable, Hashable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    public static let sqlite = StoreType(rawValue: "SQLite")
    public static let binary = StoreType(rawValue: "Binary")
    public static let xml = StoreType(rawValue: "XML")
    public static let inMemory = StoreType(rawValue: "InMemory")
}
