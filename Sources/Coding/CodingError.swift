/// An error of decoding bytes or encoding a value.
///
/// ```swift
/// do { try open(url) } catch let error as CodingError where error.code == .truncated { … }
/// ```
public struct CodingError: Error, Sendable {
    /// The kind of a coding error. New kinds may be added.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private enum Kind: String {
            case malformed, truncated, tooLarge, tooDeep, tooMany, cyclic, unsupported, wrongType, missing
        }

        private let kind: Kind

        /// The bytes violate the format.
        public static let malformed = Code(kind: .malformed)
        /// The bytes end too early.
        public static let truncated = Code(kind: .truncated)
        /// The bytes to read, or the decoded bytes, exceed the limit.
        public static let tooLarge = Code(kind: .tooLarge)
        /// The nesting exceeds the limit.
        public static let tooDeep = Code(kind: .tooDeep)
        /// The number of objects exceeds the limit.
        public static let tooMany = Code(kind: .tooMany)
        /// A container contains itself, which the format does not allow.
        public static let cyclic = Code(kind: .cyclic)
        /// The format allows this, but the reader or writer does not support it.
        public static let unsupported = Code(kind: .unsupported)
        /// A value has another type than the requested one.
        public static let wrongType = Code(kind: .wrongType)
        /// A required value is missing.
        public static let missing = Code(kind: .missing)

        public var description: String { kind.rawValue }
    }

    /// The kind of the error.
    public let code: Code
    /// A description for people.
    public let message: String
    /// The offset of the error in bytes.
    public let offset: Int?
    /// The key path or the element with the error, if any.
    public let object: String?
    /// The error that caused this one.
    public let underlying: (any Error)?

    package init(
        _ code: Code, _ message: String, offset: Int? = nil, object: String? = nil, underlying: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.offset = offset
        self.object = object
        self.underlying = underlying
    }
}

extension CodingError: CustomStringConvertible {
    /// The message and the location of the error on one line.
    public var description: String {
        var text = message
        if let object { text += " (in \(object))" }
        if let offset { text += " at byte \(offset)" }
        return text
    }
}
