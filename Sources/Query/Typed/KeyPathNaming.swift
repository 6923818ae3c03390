/// A class whose properties are known to queries by their key paths.
///
/// Key paths don't tell the names of properties at run time: the class says them. Generated classes do so by themselves; by hand it is one list:
///
/// ```swift
/// final class Book: ManagedObject, KeyPathNaming {
///     var title: String? { get { self["title"] as? String } set { self["title"] = newValue } }
///     var author: Author? { self["author"] as? Author }
///     static var namesByKeyPath: [AnyKeyPath: String] { [\Book.title: "title", \Book.author: "author"] }
/// }
/// ```
public protocol KeyPathNaming {
    /// The names that the model gives to properties. Key paths begin at the class itself, those of inherited properties too.
    static var namesByKeyPath: [AnyKeyPath: String] { get }
}
