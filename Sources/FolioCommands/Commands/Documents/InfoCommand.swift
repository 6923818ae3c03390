import Folio
import Foundation

/// `folio info DOC`
enum InfoCommand: Command {
    static let specification = CommandSpecification(
        "info", "says what a document is and what is in it", operands: "DOC [--deep]", count: 1...1,
        .opens, options: [OptionSpecification(["--deep"], "count the objects, instead of trusting the manifest")],
        notes: "What the manifest of a package or archive says is shown without opening its store.")

    static func run(_ arguments: ParsedArguments, _ console: Console) async throws -> ExitCode {
        let document = DocumentArgument(arguments.operands[0])
        let info = try DocumentInfo(
            of: URL(fileURLWithPath: document.path), state: document.state, countsObjects: arguments.has("--deep"),
            fitting: try FittingModel.choice(arguments.value("--model")))
        if console.isJSON { console.print(json(info, document.path)) } else { write(info, document.path, to: console) }
        console.reportMissingParts(info.missingParts, document.path)
        if !info.model.isKnown {
            console.say(
                "note: \(Printable.line(document.path)) carries no model: names and counts are what its \(info.storeType == "SQLite" ? "tables say" : "file says"), and other commands need the model it was made with: --model MODEL"
            )
        }
        return .done
    }

    private static func json(_ info: DocumentInfo, _ path: String) -> JSONValue {
        func date(_ date: Date?) -> JSONValue { date.map { .string(ValueText.moment($0)) } ?? .null }
        let version = info.model.name ?? info.model.identifiers.first { !$0.isEmpty }
        return .object([
            "kind": .string(info.kind.rawValue), "path": .string(path), "uuid": .string(info.uuid),
            "formatVersion": info.formatVersion.map { .int($0) } ?? .null,
            "model": .object([
                "name": info.model.name.map { .string($0) } ?? .null, "version": version.map { .string($0) } ?? .null,
                "identifiers": .strings(info.model.identifiers), "digest": .string(info.model.digest),
                "isKnown": .bool(info.model.isKnown),
            ]),
            "store": .object(["type": .string(info.storeType), "bytes": .int(info.storeBytes)]),
            "entities": .object(info.entities.mapValues { .int($0) }),
            "versions": .int(info.versions),
            "saved": date(info.saved), "autosaved": date(info.autosaved),
            "hasUnsavedChanges": .bool(info.hasUnsavedChanges),
            "outsideCommits": .int(info.outsideCommits),
            "conflicts": .int(info.undecidedConflicts),
            "missingParts": .strings(info.missingParts),
            "attachments": .object(["count": .int(info.attachments.count), "bytes": .int(info.attachments.bytes)]),
            "lock": info.lock.map(\.json) ?? .null,
        ])
    }

    private static func write(_ info: DocumentInfo, _ path: String, to console: Console) {
        func line(_ name: String, _ text: String) {
            console.print(name + String(repeating: " ", count: max(1, 12 - name.count)) + Printable.line(text))
        }
        line("kind", info.kind.rawValue)
        line("path", path)
        line("uuid", info.uuid)
        if let version = info.formatVersion { line("format", String(version)) }
        let names = info.model.identifiers.filter { !$0.isEmpty }
        line(
            "model",
            (info.model.name ?? (info.model.isKnown ? "the store's own" : "none"))
                + (names.isEmpty ? "" : " (\(names.joined(separator: ", ")))"))
        line("store", "\(info.storeType), \(info.storeBytes) bytes")
        let width = info.entities.keys.map(Printable.width).max() ?? 0
        for (index, (name, count)) in info.entities.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
            .enumerated()
        {
            line(
                index == 0 ? "objects" : "",
                name + String(repeating: " ", count: width - Printable.width(name)) + "  \(count)")
        }
        if info.attachments.count > 0 {
            line("attachments", "\(info.attachments.count), \(info.attachments.bytes) bytes")
        }
        if info.versions > 0 { line("versions", String(info.versions)) }
        if let saved = info.saved { line("saved", ValueText.moment(saved)) }
        if let autosaved = info.autosaved { line("autosaved", ValueText.moment(autosaved) + ", not saved") }
        if info.outsideCommits > 0 {
            line(
                "outside",
                "\(info.outsideCommits) \(info.outsideCommits == 1 ? "commit" : "commits") of other programs in the journal"
            )
        }
        if info.undecidedConflicts > 0 { line("conflicts", "\(info.undecidedConflicts), not decided") }
        if let lock = info.lock { line("locked by", "\(lock)") }
    }
}
