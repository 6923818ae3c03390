/// The name of a method, where Core Data's calls take one: Linux has no selectors.
///
/// ```swift
/// NSSortDescriptor(key: "name", ascending: true, selector: Selector("caseInsensitiveCompare:"))
/// ```
public struct Selector: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    let name: String

    /// Creates a selector of a name.
    public init(_ name: String) { self.name = name }

    public init(stringLiteral name: String) { self.name = name }

    public var description: String { name }
}

/// The selector of a name.
public func NSSelectorFromString(_ name: String) -> Selector { Selector(name) }

/// The name of a selector.
public func NSStringFromSelector(_ selector: Selector) -> String { selector.name }
