import Folio

/// How a failure is known outside of the program that it happens in.
struct FailureKind {
    /// The exit status of a command, which is the status in C and `exit` in JSON-RPC, too.
    let exit: ExitCode
    /// The stable word for scripts and bindings.
    let word: String
    /// What helps, in the place of what the error says.
    let hint: String?

    init(_ exit: ExitCode, _ word: String, hint: String? = nil) {
        self.exit = exit
        self.word = word
        self.hint = hint
    }
}

/// The exit status, the word and the hint of each error code of the modules. The command, the C
/// library and the server have them from here.
enum FailureTable {
    static let modelHint = "give its model with --model MODEL"

    private static let query: [QueryError.Code: FailureKind] = [
        .syntax: FailureKind(.usage, "predicateSyntax"),
        .unknownKey: FailureKind(.usage, "unknownKey"),
        .type: FailureKind(.usage, "wrongType"),
        .unsupported: FailureKind(.usage, "unsupported"),
        .unboundVariable: FailureKind(.usage, "unboundVariable"),
        .argument: FailureKind(.usage, "argument"),
        .limit: FailureKind(.usage, "limit"),
    ]

    private static let model: [ModelError.Code: FailureKind] = [
        .notFound: FailureKind(.notFound, "modelNotFound"),
        .mergeConflict: FailureKind(.modelMismatch, "mergeConflict"),
        .permission: FailureKind(.permission, "permission"),
        .inputOutput: FailureKind(.inputOutput, "inputOutput"),
        .invalid: FailureKind(.malformed, "invalidModel"),
    ]

    private static let storage: [StorageError.Code: FailureKind] = [
        .notFound: FailureKind(.notFound, "notFound"),
        .notAStore: FailureKind(.malformed, "notAStore"),
        .damaged: FailureKind(.malformed, "damaged"),
        .incompatibleModel: FailureKind(.modelMismatch, "modelMismatch"),
        .noModel: FailureKind(.modelMismatch, "noModel", hint: modelHint),
        .readOnly: FailureKind(.permission, "readOnly"),
        .permission: FailureKind(.permission, "permission"),
        .busy: FailureKind(.tryLater, "busy"),
        .full: FailureKind(.inputOutput, "full"),
        .inputOutput: FailureKind(.inputOutput, "inputOutput"),
        .conflict: FailureKind(.tryLater, "conflict"),
        .constraint: FailureKind(.malformed, "constraint"),
        .unstorable: FailureKind(.malformed, "validation"),
        .unknownObject: FailureKind(.notFound, "unknownObject"),
        .unsupported: FailureKind(.unavailable, "unsupported"),
        .newer: FailureKind(.newer, "newer"),
        .cannotCreate: FailureKind(.cannotCreate, "cannotCreate"),
        .unmigratable: FailureKind(.modelMismatch, "unmigratable"),
        .invalidObjects: FailureKind(.malformed, "validation"),
        .cancelled: FailureKind(.interrupted, "interrupted"),
        .tooLarge: FailureKind(.unavailable, "tooLarge"),
    ]

    private static let migration: [MigrationError.Code: FailureKind] = [
        // Policies are classes of an application, which the command does not have.
        .policy: FailureKind(.unavailable, "policy"),
        .lossy: FailureKind(
            .modelMismatch, "loss", hint: "say --allow-loss to leave them out, or see all of it with --dry-run"),
        .cancelled: FailureKind(.interrupted, "interrupted"),
    ]

    private static let document: [DocumentError.Code: FailureKind] = [
        .usage: FailureKind(.usage, "usage"),
        .malformed: FailureKind(.malformed, "malformed"),
        .notFound: FailureKind(.notFound, "notFound"),
        .unsupported: FailureKind(.unavailable, "unsupported"),
        .cannotCreate: FailureKind(.cannotCreate, "cannotCreate"),
        .locked: FailureKind(.tryLater, "locked", hint: "try again later; commands that read work meanwhile"),
        .changed: FailureKind(.tryLater, "changed"),
        .recoverable: FailureKind(.tryLater, "recoverable"),
        .newer: FailureKind(.newer, "newer"),
        .permission: FailureKind(.permission, "permission"),
        .modelMismatch: FailureKind(.modelMismatch, "modelMismatch"),
        .unsavedChanges: FailureKind(.usage, "unsavedChanges"),
    ]

    private static let graph: [GraphError.Code: FailureKind] = [
        .unknownEntity: FailureKind(.usage, "unknownEntity"),
        .unknownKey: FailureKind(.usage, "unknownKey"),
        .wrongType: FailureKind(.usage, "wrongType"),
        .abstractEntity: FailureKind(.usage, "abstractEntity"),
        .objectNotFound: FailureKind(.notFound, "unknownObject"),
        .conflict: FailureKind(.tryLater, "conflict"),
        .constraint: FailureKind(.malformed, "constraint"),
    ]

    static func kind(of error: QueryError) -> FailureKind { query[error.code] ?? FailureKind(.usage, "predicate") }

    static func kind(of error: ModelError) -> FailureKind {
        model[error.code] ?? FailureKind(.malformed, "unreadableModel")
    }

    static func kind(of error: StorageError) -> FailureKind {
        // A store without unused primary keys can't take new objects, however much disk space there
        // is.
        if error.code == .full, error.underlying == nil { return FailureKind(.unavailable, "noNumbers") }
        return storage[error.code] ?? FailureKind(.inputOutput, "storage")
    }

    static func kind(of error: MigrationError) -> FailureKind {
        migration[error.code] ?? FailureKind(.modelMismatch, "migration")
    }

    static func kind(of error: DocumentError) -> FailureKind {
        let known = document[error.code] ?? FailureKind(.inputOutput, "inputOutput")
        guard let stored = error.underlying as? StorageError else { return known }
        if error.code == .usage, stored.code == .readOnly { return FailureKind(.permission, "readOnly") }
        if stored.code == .full, stored.underlying == nil { return kind(of: stored) }
        if stored.code == .noModel { return FailureKind(known.exit, known.word, hint: modelHint) }
        return known
    }

    static func kind(of error: GraphError) -> FailureKind {
        graph[error.code] ?? FailureKind(.inputOutput, "objectGraph")
    }
}
