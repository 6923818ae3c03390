import Query

/// A test of texts by a pattern and options, which are kept: in nearly every statement both are constants.
final class TextTest {
    private let pattern: [UInt8]
    private let options: Comparison.Options
    /// The answer for a text that is given by its bytes; nil where it has to be a string.
    let matchesPlain: (UnsafeBufferPointer<UInt8>) -> Bool?
    let matches: (String) throws -> Bool

    init(_ pattern: UnsafeBufferPointer<UInt8>, _ options: Comparison.Options, _ test: Function) {
        self.pattern = Array(pattern)
        self.options = options
        (matchesPlain, matches) = (test.matchesPlain, test.matches)
    }

    /// What is made of a pattern.
    struct Function {
        var matchesPlain: (UnsafeBufferPointer<UInt8>) -> Bool? = { _ in nil }
        let matches: (String) throws -> Bool
    }

    /// Whether it is the test of a pattern and options.
    func isThat(of pattern: UnsafeBufferPointer<UInt8>, _ options: Comparison.Options) -> Bool {
        self.options == options && self.pattern.withUnsafeBufferPointer { $0.elementsEqual(pattern) }
    }
}
