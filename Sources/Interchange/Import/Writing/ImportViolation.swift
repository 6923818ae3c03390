import Folio

/// A validation failure of an imported object, and the location of its record.
struct ImportViolation {
    let failure: ValidationError.Failure
    /// The path of the file; nil for an object of the document.
    let path: String?
    let place: String

    /// Whether later links can fix the failure.
    static func isOfLinks(_ failure: ValidationError.Failure, in model: ManagedObjectModel) -> Bool {
        guard let entity = failure.entity.flatMap({ model.entity(named: $0) }), let key = failure.key,
            entity.property(named: key)?.relationship != nil
        else { return false }
        return failure.code == .missingMandatoryProperty || failure.code == .tooFewObjects
    }

    private var line: String { (place.isEmpty ? "" : place + ": ") + failure.message }

    /// The error for some failures, of which this is the first.
    /// - Parameter isWhole: Whether there are no further failures.
    func error(with all: [ImportViolation], isWhole: Bool) -> InterchangeError {
        var error = InterchangeError(mapping: ValidationError(all.map(\.failure)))
        let count =
            all.count == 1
            ? "a rule is violated"
            : isWhole ? "\(all.count) rules are violated" : "at least \(all.count) rules are violated"
        error.message = "\(line) (\(count))"
        error.path = path
        error.excerpt = all.dropFirst().map {
            Printable.line(($0.path == path ? "" : $0.path.map { $0 + ": " } ?? "") + $0.line)
        }
        return error
    }
}
