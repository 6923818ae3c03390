import Foundation
import Query
import Schema
package import SQLiteKit

// The functions and collations that translated requests call. They apply the rules of Query.
extension SQLTranslation {
    /// Registers the functions that translated requests call. SQL in the file, such as a trigger,
    /// can't call them.
    package static func registerFunctions(on connection: Connection) throws {
        let flags: FunctionFlags = [.deterministic, .directOnly]
        try connection.register(function: "FolioFold", argumentCount: 2, flags: flags) { arguments, result in
            guard !arguments[0].isNull else { return }
            result.set(TextFolding.fold(arguments[0].text, options: options(arguments[1])))
        }
        try connection.register(function: "FolioCompare", argumentCount: 3, flags: flags) { arguments, result in
            guard !arguments[0].isNull, !arguments[1].isNull else { return }
            result.set(
                Int64(TextOrder.compare(arguments[0].text, arguments[1].text, options: options(arguments[2])).signum()))
        }
        for (name, place) in [
            ("FolioContains", ComparisonPredicate.Operator.contains), ("FolioBeginsWith", .beginsWith),
            ("FolioEndsWith", .endsWith),
        ] {
            try registerTextTest(name, on: connection) { TextTest.Search($0, place, $1) }
        }
        try registerTextTest("FolioLike", on: connection) { TextTest.Like($0, $1) }
        try registerTextTest("FolioMatches", on: connection) { try TextTest.Regex(regex: $0, $1) }

        var lastSearch: (text: String, query: SearchQuery)?
        try connection.register(function: "FolioSearch", argumentCount: -1, flags: flags) { arguments, result in
            let text = arguments[0].text
            let query: SearchQuery
            if let lastSearch, lastSearch.text.utf8.elementsEqual(text.utf8) {
                query = lastSearch.query
            } else {
                query = SearchQuery(text)
            }
            lastSearch = (text, query)
            result.set(
                query.matches((1..<arguments.count).map { arguments[$0].isNull ? nil : arguments[$0].text })
                    ? 1 as Int64 : 0)
        }
        try connection.register(function: "FolioFunction", argumentCount: -1, flags: flags) { arguments, result in
            guard let function = QueryFunction(rawValue: arguments[0].text) else { return }
            let values = (1..<arguments.count).map { PropertyValue(arguments[$0]) }
            result.set(
                try SQLFailure.carry {
                    try ScalarRules.apply(function, values, now: Date(timeIntervalSinceReferenceDate: 0))
                })
        }
        try connection.register(function: "FolioList", argumentCount: -1, flags: flags) { arguments, result in
            guard let function = QueryFunction(rawValue: arguments[0].text) else { return }
            result.set(
                try SQLFailure.carry {
                    try ScalarRules.aggregate(function, (1..<arguments.count).map { PropertyValue(arguments[$0]) })
                })
        }
        try connection.register(function: "FolioCast", argumentCount: 2, flags: flags) { arguments, result in
            guard let type = CastType(rawValue: arguments[1].text) else { return }
            // The only blobs that can be cast are UUIDs.
            let value =
                arguments[0].storageClass == .blob
                ? PropertyValue(uuid: arguments[0].bytes) : PropertyValue(arguments[0])
            result.set(type.convert(value) ?? .null)
        }
        try connection.register(function: "FolioUnpack", argumentCount: 1, flags: flags) { arguments, result in
            if arguments[0].storageClass == .text {
                result.set(SQLValueList.unpack(arguments[0].text))
            } else {
                result.set(arguments[0].value)
            }
        }
        try connection.register(function: "FolioCell", argumentCount: 2, flags: flags) { arguments, result in
            guard let kind = CellReader.Kind(rawValue: UInt8(truncatingIfNeeded: arguments[1].int64)) else { return }
            result.set(arguments.regular(at: 0, kind))
        }
        for (name, function) in [("FolioSum", QueryFunction.sum), ("FolioAverage", .average)] {
            try connection.register(
                aggregate: name, argumentCount: 1, flags: flags, initial: AggregateAccumulator(function),
                step: { accumulator, arguments in
                    if !arguments[0].isNull {
                        try SQLFailure.carry { try accumulator.add(PropertyValue(arguments[0])) }
                    }
                },
                finish: { accumulator, result in result.set(accumulator.result) })
        }
        for collation in SortKey.Collation.registered {
            guard let name = collation.sqlName else { continue }
            try connection.register(collation: name) {
                collation.compare(String(decoding: $0, as: UTF8.self), String(decoding: $1, as: UTF8.self))
            }
        }
    }

    private static func registerTextTest(
        _ name: String, on connection: Connection,
        _ make: @escaping (UnsafeBufferPointer<UInt8>, ComparisonPredicate.Options) throws -> TextTest
    ) throws {
        let last = TextTest.Last()
        try connection.register(function: name, argumentCount: 3, flags: [.deterministic, .directOnly]) {
            arguments, result in
            guard !arguments[0].isNull, !arguments[1].isNull else { return }
            let pattern = arguments[1].utf8, options = options(arguments[2])
            let test: TextTest
            if let known = last.test, known.isThat(of: pattern, options) {
                test = known
            } else {
                test = try SQLFailure.carry { try make(pattern, options) }
                last.test = test
            }
            let answer =
                try test.matches(plain: arguments[0].utf8) ?? SQLFailure.carry { try test.matches(arguments[0].text) }
            result.set(answer ? 1 as Int64 : 0)
        }
    }

    private static func options(_ value: SQLValue) -> ComparisonPredicate.Options {
        ComparisonPredicate.Options(rawValue: Int(truncatingIfNeeded: value.int64))
    }
}

extension PropertyValue {
    /// The value of an argument by its storage class: dates are passed as seconds, UUIDs as bytes.
    fileprivate init(_ value: SQLValue) {
        switch value.storageClass {
        case .integer: self = .int(value.int64)
        case .real: self = .double(value.double)
        case .text: self = .string(value.text)
        case .blob: self = .data(Data(value.bytes))
        case .null: self = .null
        }
    }

    fileprivate init(uuid bytes: UnsafeRawBufferPointer) {
        self = bytes.count == 16 ? .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))) : .null
    }
}

extension SQLResult {
    fileprivate func set(_ value: PropertyValue) {
        if let value = SQLiteValue(constant: value) { set(value) } else { setNull() }
    }
}
