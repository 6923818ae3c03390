import Foundation
import TestSupport
import Testing

private let neovim = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map { "\($0)/nvim" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }

/// The sample of a plug-in, in Neovim without a window.
@Suite(.enabled(if: neovim != nil)) struct NeovimTests {
    private static let plugin = FolioCommand.samples.deletingLastPathComponent().appendingPathComponent(
        "Sources/FolioCommands/Serve/Editors")

    @Test func aDocumentIsOpenedListedEditedUndoneAndSaved() throws {
        try withTemporaryDirectory { folder in
            let document = folder.appendingPathComponent("Doc.folio").path
            try FileManager.default.copyItem(atPath: FolioCommand.document, toPath: document)
            let script = folder.appendingPathComponent("test.lua")
            try """
            package.path = "\(Self.plugin.path)/?.lua;" .. package.path
            vim.g.folio_command = "\(FolioCommand.binary.path)"
            local folio = require("folio")
            local function lines() return vim.api.nvim_buf_get_lines(0, 0, -1, false) end
            local function find(text)
              for number, line in ipairs(lines()) do if line:find(text, 1, true) then return number end end
            end
            local function eventually(condition) assert(vim.wait(5000, condition, 10), table.concat(lines(), "\\n")) end
            folio.open("\(document)", "Person")
            local list = vim.api.nvim_get_current_buf()
            assert(#lines() == 6 and not vim.bo.modified, table.concat(lines(), "\\n"))
            vim.api.nvim_win_set_cursor(0, { find("Fridtjof Nansen"), 0 })
            vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes("<CR>", true, false, true), "x", false)
            vim.api.nvim_set_current_line(vim.api.nvim_get_current_line())
            vim.cmd([[%s/Fridtjof Nansen/F. Nansen/]])
            vim.cmd("write")
            vim.api.nvim_set_current_buf(list)
            eventually(function() return find("F. Nansen") and lines()[1]:find("Edit Person/p", 1, true) and vim.bo.modified end)
            vim.api.nvim_feedkeys("u", "x", false)
            eventually(function() return find("Fridtjof Nansen") end)
            vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes("<C-r>", true, false, true), "x", false)
            eventually(function() return find("F. Nansen") end)
            vim.cmd("write")
            assert(not vim.bo.modified)
            print("done")
            vim.cmd("qall!")
            """.write(to: script, atomically: true, encoding: .utf8)
            let outcome = try FolioCommand.run(
                [
                    "/usr/bin/timeout", "60", try #require(neovim), "--headless", "-u", "NONE", "-i", "NONE", "-S",
                    script.path,
                ],
                in: folder, alone: true)
            #expect(outcome.exit == 0 && outcome.messages.contains("done"), "\(outcome.messages)\(outcome.output)")
            let found = try FolioCommand.run("fetch", document, "Person", "--where", "name == 'F. Nansen'", "--count")
            #expect(found.output == "1\n")
        }
    }

    /// Integers beyond those of a Double, line ends and names with signs come through, and an edit
    /// sets what was edited.
    @Test func whatIsNotEditedIsNotSet() throws {
        try withTemporaryDirectory { folder in
            let model = folder.appendingPathComponent("Model.xcdatamodel")
            try FileManager.default.createDirectory(at: model, withIntermediateDirectories: false)
            let attributes = [("big", "Integer 64"), ("rank", "Integer 64"), ("title", "String"), ("weight", "Double")]
                .map {
                    "<attribute name=\"\($0)\" optional=\"YES\" attributeType=\"\($1)\" usesScalarValueType=\"NO\"/>"
                }
            try """
            <?xml version="1.0" encoding="UTF-8"?><model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="My_Node" syncable="YES">\(attributes.joined())</entity></model>
            """.write(to: model.appendingPathComponent("contents"), atomically: true, encoding: .utf8)
            let document = folder.appendingPathComponent("Doc.folio").path
            #expect(try FolioCommand.run("new", document, "--model", model.path).exit == 0)
            let values = ["big=9007199254740993", "rank=1", "weight=0.1234567890123456", "title=one\n\"two\" \\x"]
            let made = try FolioCommand.run(["insert", document, "My_Node"] + values)
            #expect(made.exit == 0, "\(made.messages)")
            let script = folder.appendingPathComponent("test.lua")
            try """
            package.path = "\(Self.plugin.path)/?.lua;" .. package.path
            vim.g.folio_command = "\(FolioCommand.binary.path)"
            local folio = require("folio")
            local isOpened, failure = pcall(folio.open, "\(document)", "Nobody")
            assert(not isOpened and failure:find("My_Node", 1, true), failure)
            local name = folio.open("\(document)", "My_Node")
            local list = vim.api.nvim_get_current_buf()
            assert(vim.api.nvim_buf_get_lines(0, 1, 2, false)[1]:find("9007199254740993", 1, true))
            vim.api.nvim_win_set_cursor(0, { 2, 0 })
            vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes("<CR>", true, false, true), "x", false)
            vim.cmd([[%s/"rank": 1/"rank": 42/]])
            vim.cmd("write")
            vim.api.nvim_set_current_buf(list)
            vim.cmd("write")
            print("done")
            vim.cmd("qall!")
            """.write(to: script, atomically: true, encoding: .utf8)
            let outcome = try FolioCommand.run(
                [
                    "/usr/bin/timeout", "60", try #require(neovim), "--headless", "-u", "NONE", "-i", "NONE", "-S",
                    script.path,
                ],
                in: folder, alone: true)
            #expect(outcome.exit == 0 && outcome.messages.contains("done"), "\(outcome.messages)\(outcome.output)")
            let difference = try FolioCommand.run("diff", "\(document)@1", document)
            #expect(difference.output == "changed My_Node/p1\n  - rank: 1\n  + rank: 42\n", "\(difference.output)")
        }
    }
}
