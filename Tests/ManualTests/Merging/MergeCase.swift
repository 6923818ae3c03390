/// Three states that came from one another, told once for documents and for plain tables.
struct MergeCase {
    /// What somebody does. Objects are called by their `name`.
    enum Edit {
        case set(String, String, String, MergeCaseValue)
        /// To-one; nil for none.
        case link(String, String, String, String?)
        case add(String, String, String, String)
        case remove(String, String, String, String)
        /// The books of an author, in their order.
        case order(String, [String])
        case insert(String, String)
        case delete(String, String)
    }

    /// What holds in the result if an edit is in it.
    enum Fact {
        case value(String, String, String, MergeCaseValue)
        case link(String, String, String, String?)
        case has(String, String, String, String)
        case hasNot(String, String, String, String)
        case order(String, [String])
        case there(String, String)
        case gone(String, String)
    }

    enum NewModel {
        case ours, theirs
    }

    let title: String
    var newModel: NewModel?
    let ours: [Edit]
    let theirs: [Edit]
    /// What either side wants, with the words for it.
    let wanted: [(words: String, fact: Fact)]
}

enum MergeCaseValue: Equatable {
    case null
    case text(String)
    case integer(Int64)
    case real(Double)
    /// So many bytes of one kind.
    case bytes(UInt8, Int)
}

/// What a merge made of a case.
enum MergeCaseResult: Equatable {
    /// Nothing is written; somebody has to decide, or all is refused.
    case asks(String)
    case refused(String)
    /// The words of what is not in the result; empty if all is.
    case merged(lost: [String])

    var words: String {
        switch self {
        case .asks(let what): "asks: \(what)"
        case .refused(let why): "refused: \(why)"
        case .merged(let lost): lost.isEmpty ? "both" : "**loses** \(lost.joined(separator: ", "))"
        }
    }
}
