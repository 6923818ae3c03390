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
}
