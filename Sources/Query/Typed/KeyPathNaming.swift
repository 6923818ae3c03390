/// A class that gives queries the names of its properties by their key paths. Every managed
/// object's class conforms.
///
/// Swift key paths don't carry names at run time, so the class lists them. Classes with `@Model`
/// and generated classes do so for their own and their inherited properties.
public protocol KeyPathNaming {
    /// The names of the properties in the model, by their key paths.
    static var namesByKeyPath: [AnyKeyPath: String] { get }
}
