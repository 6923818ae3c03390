internal import CSQLite

extension Connection {
    func apply(_ options: OpenOptions) throws {
        let defense = options.defense
        try configure(SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, false)
        try configure(SQLITE_DBCONFIG_DEFENSIVE, defense.isDefensive)
        try configure(SQLITE_DBCONFIG_TRUSTED_SCHEMA, !defense.distrustsSchema)
        // Otherwise an unknown name in double quotes would be taken for a string.
        try configure(SQLITE_DBCONFIG_DQS_DML, false)
        if let length = defense.maximumLength { sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Int32(clamping: length)) }
        if let depth = defense.maximumTriggerDepth {
            sqlite3_limit(handle, SQLITE_LIMIT_TRIGGER_DEPTH, Int32(clamping: depth))
        }
        if defense.checksCells {
            // Same as `PRAGMA mmap_size=0`; see also `GuardFile`.
            var mapped: Int64 = 0
            _ = sqlite3_file_control(handle, "main", SQLITE_FCNTL_MMAP_SIZE, &mapped)
            try execute("PRAGMA cell_size_check=ON")
        }
        if let kilobytes = options.cacheKilobytes { try execute("PRAGMA cache_size=-\(kilobytes)") }
        if defense.usesAuthorizer || !options.allowsAttaching {
            sqlite3_set_authorizer(handle, authorize, nil)
        }
    }

    func configure(_ option: Int32, _ value: Bool) throws {
        try check(folio_sqlite3_db_config(handle, option, value ? 1 : 0, nil))
    }
}

/// Denies access to other files and to code. Everything else is restricted by `Defense`.
private func authorize(
    _ context: UnsafeMutableRawPointer?, _ action: Int32, _ first: UnsafePointer<CChar>?,
    _ second: UnsafePointer<CChar>?,
    _ database: UnsafePointer<CChar>?, _ trigger: UnsafePointer<CChar>?
) -> Int32 {
    switch action {
    case SQLITE_ATTACH:
        // An empty name is a temporary file of SQLite itself, for example for VACUUM.
        first?.pointee == 0 ? SQLITE_OK : SQLITE_DENY
    case SQLITE_FUNCTION:
        second.map(isRefused) ?? false ? SQLITE_DENY : SQLITE_OK
    default:
        SQLITE_OK
    }
}

/// Functions that access files or code, in any library that the program may be linked with.
private let refusedFunctions: [StaticString] = [
    "load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "zipfile", "lsdir", "fsdir",
]

private func isRefused(_ function: UnsafePointer<CChar>) -> Bool {
    refusedFunctions.contains { name in
        name.utf8Start.withMemoryRebound(to: CChar.self, capacity: name.utf8CodeUnitCount + 1) {
            sqlite3_stricmp(function, $0) == 0
        }
    }
}
