import Foundation
import Query

/// A test of texts with a pattern and options. It is cached, because in almost every statement both
/// are constant.
class TextTest {
    private let pattern: [UInt8]
    private let options: ComparisonPredicate.Options

    init(_ pattern: UnsafeBufferPointer<UInt8>, _ options: ComparisonPredicate.Options) {
        self.pattern = Array(pattern)
        self.options = options
    }

    /// The result for a text given as bytes; nil if the text must be converted to a string.
    func matches(plain text: UnsafeBufferPointer<UInt8>) -> Bool? { nil }

    func matches(_ text: String) throws -> Bool { preconditionFailure("Each kind of test has its own") }

    /// Whether this test has the given pattern and options.
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

    /// Caches the last test.
    final class Last {
        // Used only by the function that owns it, which SQLite never calls concurrently.
        @exclusivity(unchecked) var test: TextTest?
    }
}
