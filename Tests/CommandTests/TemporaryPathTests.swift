import Foundation
import TestSupport
import Testing

/// Commands work on copies in a temporary folder, and speak of the document that was named.
struct TemporaryPathTests {
    private static let name = "TemporaryFolderOfTheTest"

    private func run(_ arguments: [String], in folder: URL) throws -> FolioCommand.Outcome {
        let temporary = folder.path + "/" + Self.name
        try FileManager.default.createDirectory(atPath: temporary, withIntermediateDirectories: true)
        return try FolioCommand.run(
            arguments, in: folder,
            through: ["env", "TMPDIR=\(temporary)", "XDG_STATE_HOME=\(temporary)/state", FolioCommand.binary.path],
            alone: true)
    }

    private static let commands = [
        ["info"], ["fetch", "Person"], ["export"], ["verify", "--deep"], ["save-as", "Copy.folioz"],
        ["save-as", "Copy.xml"],
        ["pack", "Copy2.folioz"], ["unpack", "Copy3.folio"], ["repair", "-o", "Repaired.folioz"],
        ["migrate", "--dry-run"], ["migrate", "-o", "Migrated.folio"],
        ["merge", "Whole.folioz", "--base", "none", "--dry-run"],
        ["diff", "Whole.folioz"], ["versions"], ["set", "Person/p1", "name=x"],
    ]

    @Test(arguments: ["folio", "folioz", "sqlite", "xml"]) func messagesNameNoTemporaryCopy(form: String) throws {
        try withTemporaryDirectory { folder in
            let whole = folder.path + "/Doc." + form
            for path in ["Doc." + form, "Whole.folioz"] {
                #expect(try FolioCommand.run("save-as", FolioCommand.document, folder.path + "/" + path).exit == 0)
            }
            let file = URL(fileURLWithPath: form == "folio" ? whole + "/store/store.sqlite" : whole)
            let sound = try Data(contentsOf: file)
            let damages: [(inout Data) -> Void] = [
                { $0 = $0.prefix($0.count / 2) }, { $0 = Data("something else".utf8) },
                { data in for place in stride(from: data.count / 3, to: data.count, by: 97) { data[place] ^= 0x55 } },
                { data in for place in 200..<min(3_000, data.count) { data[place] = 0 } },
            ]
            for (number, damage) in damages.enumerated() {
                var bytes = sound
                damage(&bytes)
                for command in Self.commands {
                    try bytes.write(to: file)
                    var arguments = [command[0], "Doc." + form] + command.dropFirst()
                    if command[0] == "migrate" {
                        arguments += ["--model", FolioCommand.samples.path + "/Expeditions.xcdatamodeld#Expeditions 2"]
                    } else if form == "xml", !["versions", "unpack", "pack", "diff", "merge"].contains(command[0]) {
                        arguments += ["--model", FolioCommand.model]
                    }
                    let outcome = try run(arguments, in: folder), said = outcome.output + outcome.messages
                    #expect(
                        !said.contains(Self.name), "\(number): \(arguments.joined(separator: " ")): \(said.suffix(600))"
                    )
                    #expect(outcome.exit != 70 && outcome.exit >= 0, "\(number): \(arguments): \(said.suffix(600))")
                    for copy in [
                        "Copy.folioz", "Copy.xml", "Copy2.folioz", "Copy3.folio", "Repaired.folioz", "Migrated.folio",
                    ] {
                        try? FileManager.default.removeItem(atPath: folder.path + "/" + copy)
                    }
                }
            }
        }
    }
}
