internal import Coding

/// The numbers that a document counts its commits and saves with.
enum CommitNumbers {
    /// The numbers that a file may contain. Greater ones are refused, so that a number that was
    /// read can be incremented without overflow.
    static let valid = 0...(1 << 60)

    /// The number of a member of a JSON object; nil for anything else.
    static func decoded(_ value: JSONValue) -> Int? { value.int(Int.self).flatMap { valid.contains($0) ? $0 : nil } }
}
