import Folio

/// What is wrong in a file, where nothing is wrong with the command line.
enum ImportFailure {
    static func malformed(_ error: any Error, _ place: String?) -> CommandError {
        var failure = CommandError(mapping: error)
        if failure.exit == .usage || failure.exit == .notFound { failure.exit = .malformed }
        if let place { failure.why = "\(place): \(failure.why)" }
        return failure
    }
}
