public import Foundation

/// Stores Foundation values as keyed archives, as Core Data does for transformable attributes.
/// Attributes without a transformer of their own have one that also keeps objects of the program's
/// classes that declare `NSSecureCoding`.
///
/// Supported are strings, numbers, booleans, dates, data, URLs, UUIDs, decimals and `NSNull`, and
/// arrays, dictionaries and sets of them, nested up to 64 deep. An archive that contains an object
/// of a class outside of ``allowedClassNames``, at any depth, is rejected as a whole; no other
/// class is ever instantiated.
public struct SecureArchiveTransformer: AttributeTransformer {
    /// The Objective-C names of the classes that archives may contain. Subclasses are allowed, too,
    /// and are read as the listed class.
    public let allowedClassNames: Set<String>

    /// The classes that Core Data's own transformer allows.
    public static let standardClassNames: Set<String> = [
        "NSString", "NSNumber", "NSDate", "NSData", "NSURL", "NSUUID", "NSNull", "NSArray", "NSDictionary", "NSSet",
    ]

    private let classes: ArchivedClasses

    /// The maximum nesting depth of values.
    static let deepest = 64

    /// The reason why a value or an archive was rejected.
    public struct Refusal: Error, CustomStringConvertible {
        public let description: String
    }

    /// Creates a transformer.
    ///
    /// - Parameter allowedClassNames: A subset of ``standardClassNames``; fewer names make a
    ///   stricter transformer.
    public init(allowedClassNames: Set<String> = Self.standardClassNames) {
        self.init(allowedClassNames: allowedClassNames, classes: .none)
    }

    /// One that archives objects of other classes as well.
    package init(allowedClassNames: Set<String> = Self.standardClassNames, classes: ArchivedClasses) {
        self.allowedClassNames = allowedClassNames
        self.classes = classes
    }

    /// The transformer of attributes that name none: Foundation's values, and objects of the
    /// program's classes that declare `NSSecureCoding`.
    package static let standard = SecureArchiveTransformer(classes: .secure)

    static var tooDeep: Refusal { Refusal(description: "values lie more than \(deepest) deep in each other") }

    public func data(from value: Any) throws -> Data { try ObjectEncoder(classes).data(of: value) }

    public func value(from data: Data) throws -> Any {
        try ObjectDecoder(data, names: allowedClassNames, classes).root()
    }
}
