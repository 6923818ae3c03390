/// What is wrong with bytes that were to be decoded, or with a value that was to be encoded.
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

        /// The bytes break the rules of their format.
        public static let malformed = Code(kind: .malformed)
        /// The bytes end before the format says they may.
        public static let truncated = Code(kind: .truncated)
        /// More bytes than the limit allows, read or produced.
        public static let tooLarge = Code(kind: .tooLarge)
        /// More levels than the limit allows.
        public static let tooDeep = Code(kind: .tooDeep)
        /// More objects than the limit allows.
        public static let tooMany = Code(kind: .tooMany)
        /// A container that holds itself, where the format has no room for that.
        public static let cyclic = Code(kind: .cyclic)
        /// Something the format knows and this reader or writer does not.
        public static let unsupported = Code(kind: .unsupported)
        /// A value of another type than the one asked for.
        public static let wrongType = Code(kind: .wrongType)
        /// A value that must be there and is not.
        public static let missing = Code(kind: .missing)

        public var description: String { kind.rawValue }
    }

    /// The kind of the error.
    public let code: Code
    /// What is wrong, in words for a person.
    public let message: String
    /// The byte at which it was noticed, counted from 0.
    public let offset: Int?
    /// The key path or element at which it was noticed, if there is one.
    public let object: String?
    /// The error of another layer that led to this one.
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
    /// The message with its place, on one line.
    public var description: String {
        var text = message
        if let object { text += " (in \(object))" }
        if let offset { text += " at byte \(offset)" }
        return text
    }
}
