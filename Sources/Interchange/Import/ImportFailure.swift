import Folio

/// Creates errors about the content of files.
enum ImportFailure {
    /// An error caused by the data, regardless of its exit code on a command line.
    static func malformed(_ error: any Error, _ place: String?) -> InterchangeError {
        var failure = placed(error, place)
        if failure.exit == .usage || failure.exit == .notFound { failure.exit = .malformed }
        return failure
    }

    /// An error with its location in the file.
    static func placed(_ error: any Error, _ place: String?) -> InterchangeError {
        var failure = InterchangeError(mapping: error)
        if let place { failure.message = "\(place): \(failure.message)" }
        return failure
    }
}
