/// A class whose properties are known to queries by their key paths: every managed object's.
///
/// Key paths don't tell the names of properties at run time: the class says them. Classes with
/// `@Model` and generated ones do so for the properties that they declare and for those that they
/// inherit.
public protocol KeyPathNaming {
    /// The names that the model gives to properties.
    static var namesByKeyPath: [AnyKeyPath: String] { get }
}
