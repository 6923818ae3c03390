import Folio

/// What is wrong in a file.
enum ImportFailure {
    /// An error that the data makes, whatever it would be of a command line.
    static func malformed(_ error: any Error, _ place: String?) -> CommandError {
        var failure = placed(error, place)
        if failure.exit == .usage || failure.exit == .notFound { failure.exit = .malformed }
        return failure
    }

    /// An error with its place in the file.
    static func placed(_ error: any Error, _ place: String?) -> CommandError {
        var failure = CommandError(mapping: error)
        if let place { failure.why = "\(place): \(failure.why)" }
        return failure
    }
}
