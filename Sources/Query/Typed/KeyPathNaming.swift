/// A class whose properties are known to queries by their key paths: every managed object's.
///
/// Key paths don't tell the names of properties at run time: the class says them. Classes with `@Model` do so for the properties that they declare; a query about an
/// inherited one is written about the class that declares it.
public protocol KeyPathNaming {
    /// The names that the model gives to properties.
    static var namesByKeyPath: [AnyKeyPath: String] { get }
}
