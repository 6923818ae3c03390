import Testing

struct HelpTests {
    @Test func helpListsEveryCommand() throws {
        let outcome = try FolioCommand.run("help")
        #expect(outcome.exit == 0)
        for name in [
            "new", "info", "model", "fetch", "get", "explain", "insert", "set", "delete", "import", "export", "save-as",
            "verify", "recover", "attach", "extract",
        ] {
            #expect(outcome.output.contains("\n  \(name) "))
        }
    }

    @Test(arguments: ["fetch", "export", "insert", "recover", "extract"]) func everyCommandExplainsItself(name: String)
        throws
    {
        let outcome = try FolioCommand.run(name, "--help")
        #expect(outcome.exit == 0)
        #expect(outcome.output.hasPrefix("folio \(name): "))
        #expect(outcome.output == (try FolioCommand.run("help", name)).output)
    }

    @Test func versionIsPrinted() throws {
        let outcome = try FolioCommand.run("--version")
        #expect(outcome.exit == 0)
        #expect(outcome.output.hasPrefix("folio 0."))
    }

    @Test func aMistypedCommandGetsASuggestion() throws {
        let outcome = try FolioCommand.run("exprot", "x")
        #expect(outcome.exit == 64)
        #expect(outcome.errors == ["folio: unknown command exprot"])
        #expect(outcome.hints == ["hint: did you mean export?"])
    }

    @Test func aMistypedOptionGetsASuggestion() throws {
        let outcome = try FolioCommand.run("fetch", "x", "Y", "--wehre", "a = 1")
        #expect(outcome.exit == 64)
        #expect(outcome.errors == ["folio: fetch: unknown option --wehre"])
        #expect(outcome.hints == ["hint: did you mean --where?"])
    }

    @Test func missingAndSuperfluousArgumentsAreUsageErrors() throws {
        #expect(try FolioCommand.run("export").exit == 64)
        #expect(try FolioCommand.run("export", "a", "b").exit == 64)
        #expect(try FolioCommand.run("fetch", "a", "B", "--limit").exit == 64)
        #expect(try FolioCommand.run("fetch", "a", "B", "--limit", "many").exit == 64)
    }

    @Test func withoutACommandNothingIsPrintedAsAResult() throws {
        let outcome = try FolioCommand.run([])
        #expect(outcome.exit == 64)
        #expect(outcome.output.isEmpty)
        #expect(outcome.hints == ["hint: folio help lists the commands"])
    }

    @Test func helpIsJSONWhenAsked() throws {
        let all = try FolioCommand.run("help", "--json")
        #expect((all.object["commands"] as? [[String: Any]])?.contains { $0["name"] as? String == "fetch" } == true)
        let fetch = try FolioCommand.run("help", "fetch", "--json").object
        let options = fetch["options"] as? [[String: Any]] ?? []
        #expect(
            options.contains { $0["names"] as? [String] == ["--output", "-o"] && $0["value"] as? String == "FILE" })
        #expect(options.contains { $0["names"] as? [String] == ["--where"] && $0["value"] as? String == "PREDICATE" })
    }

    @Test(arguments: [
        ["model", "hash", FolioCommand.document, "--format", "json"],
        ["model", "diff", FolioCommand.document, FolioCommand.document, "--format", "json"],
        ["versions", FolioCommand.document, "--dry-run"], ["versions", FolioCommand.document, "--keep", "3"],
    ]) func anOptionThatDoesNotGoAlongIsNotIgnored(arguments: [String]) throws {
        let outcome = try FolioCommand.run(arguments)
        #expect(outcome.exit == 64)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.count == 1)
    }

    @Test func errorsAreJSONWhenAsked() throws {
        let outcome = try FolioCommand.run("export", "nowhere.sqlite", "--json")
        #expect(outcome.exit == 66)
        #expect(outcome.output.isEmpty)
        #expect(outcome.messages.hasPrefix("{\"error\":{\"code\":\"notFound\""))
    }
}
