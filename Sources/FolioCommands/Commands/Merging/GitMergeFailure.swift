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
    func explain(_ failure: inout CommandError, isMerged: Bool) {
        let side = failure.path.flatMap { path in sides.first { $0.paths.path(path) != nil } }
        failure.why = named(failure.why)
        if let side, !failure.why.contains(side.name) { failure.why = "\(side.name): \(failure.why)" }
        failure.path = name
        guard failure.exit != .interrupted else { return }
        let state =
            isMerged ? "the document is merged, but look at it before git add" : "nothing is merged, ours stays"
        failure.hint = "\(state): " + advice(failure, side.map { ($0.name, $0.stage) })
    }

    private func named(_ text: String) -> String {
        sides.reduce(text) { text, side in
            side.paths.text(text).replacing(side.typed, with: side.name)
        }
    }

    private func advice(_ failure: CommandError, _ side: (name: String, stage: Int)?) -> String {
        let end = "git add only what is merged by hand (folio merge)"
        switch failure.code {
        case "malformed", "damaged", "notAStore":
            guard let side else { break }
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
