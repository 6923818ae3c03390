public import Schema

/// One or more validation failures. Each has the object, the key and the value.
///
/// ```swift
/// do { try context.save() } catch let error as ValidationError {
///     for failure in error.failures { print(failure.key ?? "", failure.message) }
/// }
/// ```
public struct ValidationError: Error, Sendable, CustomStringConvertible {
    /// The violated rule. The raw values are Core Data's error numbers.
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        /// A rule of the application.
        public static let generic = Code(rawValue: 1550)
        /// A uniqueness constraint.
        public static let constraint = Code(rawValue: 1551)
        /// Several failures; see ``ValidationError/failures``.
        public static let multiple = Code(rawValue: 1560)
        /// A mandatory property has no value.
        public static let missingMandatoryProperty = Code(rawValue: 1570)
        /// A to-many relationship has fewer objects than its minimum.
        public static let tooFewObjects = Code(rawValue: 1580)
        /// A to-many relationship has more objects than its maximum.
        public static let tooManyObjects = Code(rawValue: 1590)
        /// A relationship with the delete rule `deny` has objects.
        public static let deleteDenied = Code(rawValue: 1600)
        /// A number is greater than the maximum, or too large for the type.
        public static let numberTooLarge = Code(rawValue: 1610)
        /// A number is less than the minimum, or too small for the type.
        public static let numberTooSmall = Code(rawValue: 1620)
        /// A date is after the latest valid date.
        public static let dateTooLate = Code(rawValue: 1630)
        /// A date is before the earliest valid date.
        public static let dateTooSoon = Code(rawValue: 1640)
        /// A date is not valid.
        public static let invalidDate = Code(rawValue: 1650)
        /// A string is longer than the maximum length.
        public static let stringTooLong = Code(rawValue: 1660)
        /// A string is shorter than the minimum length.
        public static let stringTooShort = Code(rawValue: 1670)
        /// A string does not match the regular expression.
        public static let stringPattern = Code(rawValue: 1680)
        /// A URI is not valid.
        public static let invalidURI = Code(rawValue: 1690)

        /// The name of the code, such as `missingMandatoryProperty`; the number of an application's
        /// own code.
        public var description: String {
            switch self {
            case .generic: "generic"
            case .constraint: "constraint"
            case .multiple: "multiple"
            case .missingMandatoryProperty: "missingMandatoryProperty"
            case .tooFewObjects: "tooFewObjects"
            case .tooManyObjects: "tooManyObjects"
            case .deleteDenied: "deleteDenied"
            case .numberTooLarge: "numberTooLarge"
            case .numberTooSmall: "numberTooSmall"
            case .dateTooLate: "dateTooLate"
            case .dateTooSoon: "dateTooSoon"
            case .invalidDate: "invalidDate"
            case .stringTooLong: "stringTooLong"
            case .stringTooShort: "stringTooShort"
            case .stringPattern: "stringPattern"
            case .invalidURI: "invalidURI"
            default: String(rawValue)
            }
        }
    }

    /// A single violated rule.
    public struct Failure: Sendable, CustomStringConvertible {
        /// The violated rule.
        public var code: Code
        /// An explanation for people.
        public var message: String
        /// The ID of the invalid object.
        public var object: ManagedObjectID?
        /// The name of the object's entity.
        public var entity: String?
        /// The name of the invalid property.
        public var key: String?
        /// The invalid value; nil for relationships, and for values of types that stores don't
        /// support.
        public var value: PropertyValue?
        /// The error that a validation method of the application threw.
        public var underlying: (any Error)?

        /// Creates a failure.
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

    /// All failures, in the order of the objects' changes. Never empty.
    public var failures: [Failure]

    /// Creates an error with one or more failures. Traps if there is none.
    public init(_ failures: [Failure]) {
        precondition(!failures.isEmpty, "A validation error has at least one failure")
        self.failures = failures
    }

    /// Creates an error with one failure, for validation methods of the application.
    public init(_ code: Code, _ message: String, key: String? = nil, value: PropertyValue? = nil) {
        failures = [Failure(code, message, key: key, value: value)]
    }

    /// Creates an error with a single failure of a rule of the application.
    public init(_ message: String, key: String? = nil, value: PropertyValue? = nil) {
        self.init(.generic, message, key: key, value: value)
    }

    /// The invalid value if there is a single failure, otherwise nil.
    public var value: PropertyValue? { failures.count == 1 ? failures[0].value : nil }

    /// The rule of the single failure, or ``Code/multiple``.
    public var code: Code { failures.count == 1 ? failures[0].code : .multiple }

    public var description: String { failures.map(\.description).joined(separator: "; ") }
}
