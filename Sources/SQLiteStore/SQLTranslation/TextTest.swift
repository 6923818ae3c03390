import Foundation
import Query

/// A test of texts by a pattern and options, which are kept: in nearly every statement both are
/// constants.
class TextTest {
    private let pattern: [UInt8]
    private let options: ComparisonPredicate.Options

    init(_ pattern: UnsafeBufferPointer<UInt8>, _ options: ComparisonPredicate.Options) {
        self.pattern = Array(pattern)
        self.options = options
    }

    /// The answer for a text that is given by its bytes; nil where it has to be a string.
    func matches(plain text: UnsafeBufferPointer<UInt8>) -> Bool? { nil }

    func matches(_ text: String) throws -> Bool { preconditionFailure("Each kind of test has its own") }

    /// Whether it is the test of a pattern and options.
    final func isThat(of pattern: UnsafeBufferPointer<UInt8>, _ options: ComparisonPredicate.Options) -> Bool {
        guard self.options == options, self.pattern.count == pattern.count else { return false }
        guard let start = pattern.baseAddress else { return true }
        return self.pattern.withUnsafeBytes { $0.baseAddress.map { memcmp($0, start, pattern.count) == 0 } ?? true }
    }

    // MARK: Kinds

    final class Search: TextTest {
        private let search: TextSearch

        init(
            _ pattern: UnsafeBufferPointer<UInt8>, _ place: ComparisonPredicate.Operator,
            _ options: ComparisonPredicate.Options
        ) {
            search = TextSearch(String(decoding: pattern, as: UTF8.self), place, options)
            super.init(pattern, options)
        }

        override func matches(plain text: UnsafeBufferPointer<UInt8>) -> Bool? { search.matches(plain: text) }
        override func matches(_ text: String) -> Bool { search.matches(text) }
    }

    final class Like: TextTest {
        private let like: LikePattern

        override init(_ pattern: UnsafeBufferPointer<UInt8>, _ options: ComparisonPredicate.Options) {
            like = LikePattern(String(decoding: pattern, as: UTF8.self), options: options)
            super.init(pattern, options)
        }

        override func matches(plain text: UnsafeBufferPointer<UInt8>) -> Bool? { like.matches(plain: text) }
        override func matches(_ text: String) -> Bool { like.matches(text) }
    }

    final class Regex: TextTest {
        private let regex: RegexPattern

        init(regex pattern: UnsafeBufferPointer<UInt8>, _ options: ComparisonPredicate.Options) throws {
            regex = try RegexPattern(String(decoding: pattern, as: UTF8.self), options: options)
            super.init(pattern, options)
        }

        override func matches(_ text: String) throws -> Bool { try regex.matches(text) }
    }

    /// The test that was made last.
    final class Last {
        // Used by the function that keeps it alone, which SQLite calls once at a time.
        @exclusivity(unchecked) var test: TextTest?
    }
}
