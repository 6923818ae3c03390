import Foundation

/// Tells of a merge for git that failed by the name of the document and by the sides: the files
/// that git hands over are gone when somebody reads of them.
struct GitMergeFailure {
    private let name: String
    /// The files of the sides, and the stages in which git's index keeps them.
    private let sides: [(name: String, stage: Int, paths: TypedPaths, typed: String)]

    /// - Parameter operands: BASE OURS THEIRS NAME.
    init(_ operands: [String]) {
        name = operands[3]
        sides = zip(["base", "ours", "theirs"], operands).enumerated().map { index, side in
            (side.0, index + 1, TypedPaths([side.1]), side.1)
        }
    }

    /// - Parameter isMerged: Whether the merged document was written before.
    func explain(_ failure: inout InterchangeError, isMerged: Bool) {
        let side = failure.path.flatMap { path in sides.first { $0.paths.path(path) != nil } }
        failure.message = named(failure.message)
        if let side, !failure.message.contains(side.name) { failure.message = "\(side.name): \(failure.message)" }
        failure.path = name
        guard failure.exit != .interrupted else { return }
        if isMerged {
            failure.hint = "the document is merged, but what follows was left undone: look at it before git add"
            return
        }
        failure.hint = "nothing is merged, ours stays: " + advice(failure, side.map { ($0.name, $0.stage) })
    }

    /// A text with the names of the sides in the place of their files. A file whose name could be
    /// an ordinary word stays: those that git makes begin with a dot.
    private func named(_ text: String) -> String {
        sides.reduce(text) { text, side in
            var text = side.paths.text(text)
            guard side.typed.contains(where: { $0 == "." || $0 == "/" }) else { return text }
            func isLetter(_ character: Character?) -> Bool {
                character.map { $0.isLetter || $0.isNumber || $0 == "_" } ?? false
            }
            let ranges = text.ranges(of: side.typed).filter {
                !isLetter(text[..<$0.lowerBound].last) && !isLetter(text[$0.upperBound...].first)
            }
            for range in ranges.reversed() { text.replaceSubrange(range, with: side.name) }
            return text
        }
    }

    private func advice(_ failure: InterchangeError, _ side: (name: String, stage: Int)?) -> String {
        let end = "git add only what is merged by hand (folio merge)"
        switch failure.code {
        case "malformed", "damaged", "notAStore":
            // The manifest of a package is no document by itself.
            guard let side, !name.hasSuffix("/manifest.json") else { break }
            let version = ShellWord.quoted(":\(side.stage):\(name)")
            return
                "git show \(version) > FILE takes out \(side.name), and folio repair FILE -o NEW saves what can be read; "
                + end
        case "modelMismatch" where failure.hint == nil, "noModel":
            let driver = GitMerge.driver.replacing("--git", with: "--git --model MODEL")
            return "give the model: git config merge.folio.driver '\(driver)'; \(end)"
        default: break
        }
        return failure.hint.map { "\(named($0)); \(end)" } ?? end
    }
}
