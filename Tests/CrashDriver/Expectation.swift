/// What may be found of a document after a crash, told by what the operation said it tried and did.
///
/// Lines: `try|did|refused <document> saved|autosaved <state>`.
struct Expectation {
    /// The state of a document that is not there.
    static let missing = -1

    /// States that may be the last saved one.
    private(set) var saved: Set<Int>
    /// States that may be found with autosaved work on top.
    private(set) var current: Set<Int>

    init(_ state: Int, autosaved: Int? = nil) {
        saved = [state]
        current = [autosaved ?? state]
    }

    /// - Parameter trustsRefusals: Whether what was refused must not be found as saved, since
    ///   nothing else failed and the process lived on.
    mutating func take(_ lines: [String], document: String, trustsRefusals: Bool) {
        for line in lines {
            let words = line.split(separator: " ")
            guard words.count == 4, words[1] == document, let state = Int(words[3]) else { continue }
            let isSaved = words[2] == "saved"
            switch words[0] {
            case "try":
                current.insert(state)
                if isSaved { saved.insert(state) }
            case "did":
                current = [state]
                if isSaved { saved = [state] }
            case "refused":
                if isSaved, trustsRefusals, saved.count > 1 { saved.remove(state) }
            default: break
            }
        }
    }
}
