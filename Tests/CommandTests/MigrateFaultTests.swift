import Foundation
import Glibc
import TestSupport
import Testing

/// `folio migrate` that is interrupted, killed, met by another or out of room: the document is in
/// the old state or in the new one, whole.
@Suite(.enabled(if: runsSweeps), .serialized) struct MigrateFaultTests {
    private let models = FolioCommand.samples.appendingPathComponent("Expeditions.xcdatamodeld").path
    private static let people = 6_000
    private static let forms = ["package", "archive", "sqlite"]

    /// A document that takes a moment to migrate.
    private func make(in folder: URL, _ form: String) throws -> String {
        let path = try FolioCommand.copyOfDocument(in: folder)
        let lines = (1...Self.people).map { "{\"attributes\":{\"name\":\"Somebody called number \($0)\"}}" }.joined(
            separator: "\n")
        try Data(lines.utf8).write(to: folder.appendingPathComponent("people.jsonl"))
        let imported = try FolioCommand.run("import", path, folder.path + "/people.jsonl", "--entity", "Person")
        #expect(imported.exit == 0, "\(imported.messages)")
        guard form != "package" else { return path }
        let other = folder.path + "/Other.document"
        #expect(
            try FolioCommand.run(
                ["save-as", path, other] + (form == "archive" ? ["--archive"] : ["--store", "sqlite"])
            ).exit == 0)
        return other
    }

    /// A running command that others meet.
    private final class Running {
        let process = Process()
        private let messages: URL

        /// - Parameter state: The folder for the state of all that run at once.
        init(_ arguments: [String], state: URL) throws {
            messages = state.appendingPathComponent(UUID().uuidString)
            try Data().write(to: messages)
            process.executableURL = FolioCommand.binary
            process.arguments = arguments
            var variables = ProcessInfo.processInfo.environment
            variables["XDG_STATE_HOME"] = state.path
            variables["SWIFT_BACKTRACE"] = "enable=no"
            process.environment = variables
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = try FileHandle(forWritingTo: messages)
            try process.run()
        }

        /// The exit code; negative for the signal that ended it.
        func end() throws -> (exit: Int32, messages: String) {
            process.waitUntilExit()
            let status =
                process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus
            return (status, try String(contentsOf: messages, encoding: .utf8))
        }
    }

    /// Whether a document is of the new version; it is whole in any case.
    private func isMigrated(_ document: String, state: URL) throws -> Bool {
        let count = try Running(["verify", document], state: state).end()
        #expect(count.exit == 0, "\(count.messages)")
        let isNew = try FolioCommand.run("fetch", document, "Summit", "--count").exit == 0
        let people = try FolioCommand.run(
            "fetch", document, "Person", "--where", "name BEGINSWITH 'Somebody'", "--count")
        #expect(people.output == "\(Self.people)\n", "\(people.messages)")
        return isNew
    }

    private func strays(_ folder: URL, _ document: String) throws -> [String] {
        let own = [URL(fileURLWithPath: document).lastPathComponent, "Expeditions.folio", "people.jsonl", "state"]
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { name in
            !own.contains(name) && !name.contains(".before-")
        }
    }

    private func copy(_ original: String, to name: String, _ folder: URL) throws -> String {
        let path = folder.appendingPathComponent(name).path
        if FileManager.default.fileExists(atPath: path) { try FileManager.default.removeItem(atPath: path) }
        try FileManager.default.copyContents(of: URL(fileURLWithPath: original), to: URL(fileURLWithPath: path))
        return path
    }

    /// Sends a signal to a migration at several moments of its life.
    private func signal(
        _ number: Int32, _ form: String, moments: Int,
        _ check: (_ outcome: (exit: Int32, messages: String), _ isMigrated: Bool, _ strays: [String]) -> Void
    ) throws {
        try withTemporaryDirectory { folder in
            let original = try make(in: folder, form), place = folder.appendingPathComponent("work")
            var whole = 0.0
            for moment in 0...moments {
                let state = folder.appendingPathComponent("state \(moment)")
                try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
                try? FileManager.default.removeItem(at: place)
                try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
                let document = try copy(original, to: "Doc.document", place)
                let start = Date(), running = try Running(["migrate", document, "--model", models], state: state)
                if moment > 0 {
                    // The first run is left alone, and tells how long one takes.
                    Thread.sleep(forTimeInterval: whole * Double(moment) / Double(moments + 1))
                    kill(running.process.processIdentifier, number)
                }
                let outcome = try running.end()
                if moment == 0 {
                    whole = Date().timeIntervalSince(start)
                    #expect(outcome.exit == 0, "\(outcome.messages)")
                }
                let migrated = try isMigrated(document, state: state)
                // Readers clear nothing away; who writes next does, and finds all of it.
                let left = try strays(place, document)
                let again = try Running(["migrate", document, "--model", models], state: state).end()
                #expect(again.exit == 0, "\(again.messages)")
                #expect(try isMigrated(document, state: state))
                let after = try strays(place, document).filter { !$0.hasSuffix(".lock") }
                #expect(after.isEmpty, "\(after)")
                if moment > 0 { check(outcome, migrated, left) }
            }
        }
    }

    @Test(arguments: forms) func anInterruptedMigrationLeavesTheOldDocumentAndNothingElse(form: String) throws {
        try signal(SIGINT, form, moments: sweep(2, all: 5)) { outcome, isMigrated, strays in
            // Until the command listens to signals it ends as any program does, which a shell calls
            // 130 too.
            #expect([0, 130, -SIGINT].contains(outcome.exit), "\(outcome)")
            #expect(isMigrated == (outcome.exit == 0), "\(outcome)")
            #expect(strays.filter { !$0.hasSuffix(".lock") }.isEmpty, "\(strays)")
        }
    }

    @Test(arguments: forms) func aKilledMigrationLeavesTheOldOrTheNewDocument(form: String) throws {
        try signal(SIGKILL, form, moments: sweep(2, all: 8)) { outcome, isMigrated, _ in
            #expect([0, -SIGKILL].contains(outcome.exit), "\(outcome)")
            if outcome.exit == 0 { #expect(isMigrated) }
        }
    }
}

extension MigrateFaultTests {
    @Test(arguments: forms) func ofSeveralAtOnceOneMigratesAndNoneLosesAnything(form: String) throws {
        try withTemporaryDirectory { folder in
            let document = try make(in: folder, form), state = folder.appendingPathComponent("state")
            try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
            let migrators = try (0..<2).map { _ in try Running(["migrate", document, "--model", models], state: state) }
            let writers = try (0..<2).map {
                try Running(["insert", document, "Person", "name=Ada \($0)"], state: state)
            }
            let readers = try (0..<2).map { _ in try Running(["fetch", document, "Person", "--count"], state: state) }
            let outcomes = try (migrators + writers).map { try $0.end() }
            #expect(outcomes.contains { $0.exit == 0 }, "\(outcomes)")
            for outcome in outcomes {
                #expect([0, 75].contains(outcome.exit), "\(outcome)")
                if outcome.exit == 75 { #expect(outcome.messages.hasPrefix("folio: "), "\(outcome)") }
            }
            // A reader is shown one state or told that it changed meanwhile.
            for outcome in try readers.map({ try $0.end() }) { #expect([0, 75].contains(outcome.exit), "\(outcome)") }
            let written = outcomes.suffix(writers.count).count { $0.exit == 0 }
            // Where the writers were first, both migrators were told so.
            #expect(try Running(["migrate", document, "--model", models], state: state).end().exit == 0)
            #expect(try isMigrated(document, state: state))
            #expect(
                try FolioCommand.run("fetch", document, "Person", "--where", "name BEGINSWITH 'Ada '", "--count").output
                    == "\(written)\n")
        }
    }

    // MARK: Progress

    /// What a command says on a terminal.
    private func onTerminal(_ arguments: [String], state: URL) throws -> (exit: Int32, text: String) {
        // Linux's own way, since the library's functions are not imported: unlock the terminal, and
        // ask for its number.
        let master = Glibc.open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var locked: Int32 = 0, number: UInt32 = 0
        #expect(master >= 0 && ioctl(master, 0x4004_5431, &locked) == 0 && ioctl(master, 0x8004_5430, &number) == 0)
        let slave = Glibc.open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        #expect(slave >= 0)
        let process = Process()
        process.executableURL = FolioCommand.binary
        process.arguments = arguments
        var variables = ProcessInfo.processInfo.environment
        variables["XDG_STATE_HOME"] = state.path
        variables["TERM"] = "xterm"
        process.environment = variables
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(fileDescriptor: slave)
        try process.run()
        Glibc.close(slave)
        var said: [UInt8] = [], buffer = [UInt8](repeating: 0, count: 4096)
        // Ends with an error when nobody has the terminal any more.
        while true {
            let count = read(master, &buffer, buffer.count)
            if count <= 0 { break }
            said += buffer[..<count]
        }
        Glibc.close(master)
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: said, as: UTF8.self))
    }
}

extension MigrateFaultTests {
    @Test func aTerminalIsToldHowFarItHasComeAndTheLineIsTakenAway() throws {
        try withTemporaryDirectory { folder in
            let original = try make(in: folder, "package"), state = folder.appendingPathComponent("state")
            for options in [[], ["--no-progress"]] {
                let document = try copy(original, to: "Doc.document", folder)
                let outcome = try onTerminal(["migrate", document, "--model", models] + options, state: state)
                #expect(outcome.exit == 0, "\(outcome.text)")
                let lines = outcome.text.components(separatedBy: "\r\u{1B}[K")
                guard options.isEmpty else {
                    #expect(lines.count == 1, "\(outcome.text)")
                    continue
                }
                let shares = lines.compactMap { $0.contains("%") ? Int($0.prefix { $0 != " " }) : nil }
                #expect(shares.count > 1 && shares == shares.sorted() && (shares.last ?? 101) <= 100, "\(outcome.text)")
                #expect(lines.last?.contains("%") == false, "\(outcome.text)")
            }
        }
    }

    // MARK: No room

    /// A shell in a mount namespace of its own; nil where the machine does not allow that.
    private static let namespace: [String]? = {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/unshare") else { return nil }
        let words = ["/usr/bin/unshare"] + (geteuid() == 0 ? ["-m"] : ["-rm"]) + ["/bin/sh", "-c"]
        let probe = Process()
        probe.executableURL = URL(fileURLWithPath: words[0])
        probe.arguments = Array(words.dropFirst()) + ["mount -t tmpfs -o size=1m tmpfs /mnt"]
        probe.standardError = FileHandle.nullDevice
        guard (try? probe.run()) != nil else { return nil }
        probe.waitUntilExit()
        return probe.terminationStatus == 0 ? words : nil
    }()

    @Test(.enabled(if: namespace != nil, "this machine lets no file system be mounted"), arguments: forms)
    func aFullDiskLeavesTheOldDocumentAndTheMigrationSucceedsOnceThereIsRoom(form: String) throws {
        try withTemporaryDirectory { folder in
            let document = try make(in: folder, form), disk = folder.appendingPathComponent("disk")
            try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: true)
            let script = """
                mount -t tmpfs -o size=12m tmpfs "$1" && cp -r "$2" "$1/Doc.document" || exit 99
                folio=$3; models=$4; cd "$1"
                cat /dev/zero > filling 2>/dev/null
                "$folio" migrate Doc.document --model "$models"; echo "full $?"
                "$folio" verify Doc.document >&2; echo "verified $?"
                "$folio" fetch Doc.document Summit --count >&2; echo "old $?"
                ls -A | grep -v '\\.lock$' | tr '\\n' ' '; echo
                rm filling
                "$folio" migrate Doc.document --model "$models" >&2; echo "room $?"
                "$folio" fetch Doc.document Summit --count >&2; echo "new $?"
                "$folio" verify Doc.document >&2; echo "verified $?"
                """
            let process = Process(), output = privatePipe(), messages = privatePipe()
            let words =
                try #require(Self.namespace) + [script, "sh", disk.path, document, FolioCommand.binary.path, models]
            process.executableURL = URL(fileURLWithPath: words[0])
            process.arguments = Array(words.dropFirst())
            var variables = ProcessInfo.processInfo.environment
            variables["XDG_STATE_HOME"] = folder.appendingPathComponent("state").path
            process.environment = variables
            process.standardOutput = output
            process.standardError = messages
            try process.run()
            let lines = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).split(
                separator: "\n"
            ).map(String.init)
            let said = String(decoding: messages.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(
                lines == ["full 74", "verified 0", "old 64", "Doc.document filling ", "room 0", "new 0", "verified 0"],
                "\(lines) \(said)")
            #expect(said.contains("not enough room") || said.contains("No space left on device"), "\(said)")
        }
    }
}
