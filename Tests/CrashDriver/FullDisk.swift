import FileMigration
import CrashSupervisor
import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import Glibc
import ObjectGraph
import Schema

/// Editing on a disk that gets full and then has room again.
struct FullDisk {
    let place: Place
    let form: DocumentForm
    /// Whether there is no room for files while there is for bytes.
    let exhaustsInodes: Bool

    private enum Work: CaseIterable {
        case save, autosave, migration, migrationAnew
    }

    func run() throws -> Sweep.Tally {
        try place.begin()
        try mount()
        try place.begin(inExisting: true)
        var tally = Sweep.Tally()
        for work in Work.allCases {
            tally.points += 1
            let outcome = try Fork.run(Fork.Plan(root: place.work, isWatched: false)) { [self] voice in
                do {
                    switch work {
                    case .save, .autosave: try await edit(isSave: work == .save, voice)
                    case .migration, .migrationAnew: try await migrate(work, voice)
                    }
                } catch {
                    voice.say("\(work) on a full disk, \(form): \(error)")
                }
            }
            tally.failures += outcome.lines
            if outcome.exit != 0 {
                tally.failures.append("an editor on a full disk ended with signal \(outcome.signal)")
            }
        }
        return tally
    }

    private func mount() throws {
        let options = exhaustsInodes ? "size=64m,nr_inodes=200" : "size=3m"
        let result = crash_small_disk(place.work, options)
        if result != 0 { throw FileSystemError(operation: "mount", path: place.work, errno: -result) }
    }

    private func edit(isSave: Bool, _ voice: Voice) async throws {
        func expect(_ condition: Bool, _ what: String) {
            if !condition { voice.say("\(isSave ? "save" : "autosave") on a full disk, \(form): \(what)") }
        }
        try Disk.removeTree(place.path("A"))
        let url = place.url("A")
        let document = try await PersistentDocument.create(at: url, model: Notes.model(), form: form)
        try Notes.write(1, to: document)
        try await document.save()
        try Notes.write(2, to: document)
        try fill()
        do {
            if isSave { try await document.save() } else { try await document.autosave() }
            expect(false, "succeeded")
        } catch let error as DocumentError {
            expect(error.code == .inputOutput, "is told as \(error.code): \(error)")
            expect(
                "\(error)".contains("No space left on device") || "\(error)".contains("disk is full"),
                "does not name the cause: \(error)")
            expect(error.stage != nil, "does not name the stage: \(error)")
        }
        expect(document.hasUnsavedChanges, "the changes are lost")
        // The old document, as anybody sees it now.
        let reader = try await PersistentDocument.open(url, mode: .reading)
        expect(try Notes.read(reader) == 1, "a reader does not see the old state")
        try await reader.close()
        try empty()
        if isSave { try await document.save() } else { try await document.autosave() }
        try await document.close()
        let again = try await PersistentDocument.open(url, recovery: .keep)
        expect(try Notes.read(again) == 2, "what was saved once there was room is not there")
        expect(again.recovered == nil || !isSave, "the save is not the saved state")
        try await again.save()
        try await again.close()
        expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty, "the document is damaged")
        let strays = try place.strays(besides: ["A"])
        expect(strays.isEmpty, "strays \(strays)")
    }

    private func migrate(_ work: Work, _ voice: Voice) async throws {
        func expect(_ condition: Bool, _ what: String) {
            if !condition { voice.say("\(work) on a full disk, \(form): \(what)") }
        }
        try Disk.removeTree(place.path("A"))
        let url = place.url("A")
        let document = try await PersistentDocument.create(at: url, model: Notes.model(), form: form)
        try Notes.write(1, to: document)
        try await document.save()
        try await document.close()
        var migrator = DocumentMigrator(path: place.path("A"), model: try Notes.model(version: 2))
        if work == .migrationAnew { migrator.mapping = try Notes.mapping() }
        try fill()
        for looksForRoom in [true, false] {
            var migrator = migrator
            // What is not foreseen is met on the way.
            if !looksForRoom { migrator.availableBytes = { _ in .max } }
            do {
                _ = try migrator.migrate()
                expect(false, "succeeded")
            } catch let error as DocumentError {
                expect(error.code == .inputOutput, "is told as \(error.code): \(error)")
                let causes = ["No space left on device", "disk is full", "not enough room"]
                expect(causes.contains { "\(error)".contains($0) }, "does not name the cause: \(error)")
            }
            let reader = try await PersistentDocument.open(url, mode: .reading)
            expect(
                try Notes.read(reader) == 1 && reader.model.definition.versionIdentifiers == ["1"],
                "a reader does not see the old state")
            try await reader.close()
        }
        try empty()
        expect(try migrator.migrate().isNeeded, "was done already")
        let again = try await PersistentDocument.open(url)
        expect(
            try Notes.read(again) == 1 && again.model.definition.versionIdentifiers == ["2"],
            "what was migrated once there was room is not there")
        try await again.close()
        expect(try DocumentVerifier.verify(url, isThorough: true).isEmpty, "the document is damaged")
        let strays = try place.strays(besides: ["A"])
        expect(strays.isEmpty, "strays \(strays)")
    }

    private var filling: String { place.work + "/filling" }

    /// Takes all the room there is.
    private func fill() throws {
        try Disk.makeDirectory(filling)
        for number in 0... {
            let file = open("\(filling)/\(number)", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
            guard file >= 0 else { return }
            defer { _ = Glibc.close(file) }
            if exhaustsInodes { continue }
            let bytes = [UInt8](repeating: 1, count: 4096)
            while write(file, bytes, bytes.count) > 0 {}
            return
        }
    }

    private func empty() throws { try Disk.removeTree(filling) }
}
