public import Schema

/// One or more rules that objects violate.
///
/// The code is that of the only failure, or 1560 where there are several. All are listed, each with
/// object, key and value.
public struct ValidationError: Error, Sendable, CustomStringConvertible {
    /// Which rule, by Core Data's number.
    public struct Code: RawRepresentable, Sendable, Hashable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let generic = Code(rawValue: 1550)
        public static let constraint = Code(rawValue: 1551)
        /// Several failures.
        public static let multiple = Code(rawValue: 1560)
        public static let missingMandatoryProperty = Code(rawValue: 1570)
        public static let tooFewObjects = Code(rawValue: 1580)
        public static let tooManyObjects = Code(rawValue: 1590)
        public static let deleteDenied = Code(rawValue: 1600)
        public static let numberTooLarge = Code(rawValue: 1610)
        public static let numberTooSmall = Code(rawValue: 1620)
        public static let dateTooLate = Code(rawValue: 1630)
        public static let dateTooSoon = Code(rawValue: 1640)
        public static let invalidDate = Code(rawValue: 1650)
        public static let stringTooLong = Code(rawValue: 1660)
        public static let stringTooShort = Code(rawValue: 1670)
        public static let stringPattern = Code(rawValue: 1680)
        public static let invalidURI = Code(rawValue: 1690)
    }

    /// One violated rule.
    public struct Failure: Sendable, CustomStringConvertible {
        public var code: Code
        public var message: String
        public var object: ManagedObjectID?
        public var entity: String?
        public var key: String?
        /// The value that violates it, given to validators of the application too; nil for
        /// relationships and values of types that are not the store's.
        public var value: PropertyValue?
        /// The error that a validator of the application threw.
        public var underlying: (any Error)?

        public init(
            _ code: Code, _ message: String, object: ManagedObjectID? = nil, entity: String? = nil, key: String? = nil,
            value: PropertyValue? = nil,
            underlying: (any Error)? = nil
        ) {
            self.code = code
            self.message = message
            self.object = object
            self.entity = entity
            self.key = key
            self.value = value
            self.underlying = underlying
        }

        public var description: String { message }
    }

    /// In the order of the objects' changes; never empty.
    public var failures: [Failure]

    public init(_ failures: [Failure]) {
        precondition(!failures.isEmpty, "A validation error has at least one failure")
        self.failures = failures
    }

    /// For validators of the application: one failure.
    public init(_ code: Code = .generic, _ message: String, key: String? = nil, value: PropertyValue? = nil) {
        failures = [Failure(code, message, key: key, value: value)]
    }

    /// The value that violates the rule, where there is one failure alone.
    public var value: PropertyValue? { failures.count == 1 ? failures[0].value : nil }

    public var code: Code { failures.count == 1 ? failures[0].code : .multiple }

    public var description: String { failures.map(\.description).joined(separator: "; ") }
}
