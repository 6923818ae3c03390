import Folio

extension DocumentReader {
    /// Opens the document at `path`, runs `body` on one of its states and closes it. What is to be
    /// known of that state is told once. Where another program changes the document meanwhile, this
    /// is repeated, provided that nothing has been written to standard output.
    /// - Parameters:
    ///   - modelText: The value of `--model`.
    ///   - isQuiet: Whether nothing is said of the state that is read, because a caller reads the
    ///     document again.
    static func reading<Result>(
        _ path: String, model modelText: String?, isQuiet: Bool = false, _ console: Console,
        _ body: (DocumentReader) async throws -> Result
    ) async throws -> Result {
        let mark = console.output.mark
        var tells = !isQuiet
        return try await reading(
            path, model: modelText, repeats: { console.output.goBack(to: mark) },
            opened: { document, argument in
                if tells { console.reportState(of: document, argument) }
                tells = false
            }, body)
    }
}
