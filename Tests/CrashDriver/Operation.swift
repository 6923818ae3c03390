import Merging
import FileMigration
import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import Migration
import ObjectGraph
import Schema

/// What a sweep does to a document, step by step, saying what it tries and what it has done.
struct Operation: Sendable {
    let name: String
    /// The documents there are before, with their states, and the autosaved state of A where it has
    /// one.
    var before: [String: Int] = ["A": 1]
    var autosaved: Int?
    /// The state that A was saved in before, where it was, so that a version of it is kept.
    var earlier: Int?
    var forms: [DocumentForm] = [.package, .archive]
    var makesB = false
    /// Whether another document is merged in, which leaves conflicts.
    var merges = false
    /// Documents that may be there afterwards.
    var documents: [String] { before.keys.contains("B") || makesB ? ["A", "B"] : ["A"] }
    let run: @Sendable (Steps) async throws -> Void

    /// How many versions A keeps once so much was said: the states before the last save. Of an
    /// empty document nothing is kept but by its first save.
    func versions(after lines: [String]) -> Int {
        guard let state = before["A"], state != Expectation.missing, !lines.contains("did A saved 0"),
            !lines.contains("try A saved 0")
        else { return 0 }
        return (earlier == nil ? 1 : 2)
            + (["save", "save-growing", "merge"].contains(name) ? lines.count { $0.hasPrefix("did A saved") } : 0)
    }

    /// An archive's autosaved work belongs to the very file that it was made for, so a copy of the
    /// folder will not do.
    func isPreparedInPlace(_ form: DocumentForm) -> Bool { autosaved != nil && form == .archive }

    func expectation(of document: String) -> Expectation {
        Expectation(before[document] ?? Expectation.missing, autosaved: document == "A" ? autosaved : nil)
    }

    /// Makes the documents that there are before.
    func prepare(_ place: Place, _ form: DocumentForm) async throws {
        if merges { return try await prepareMerge(place, form) }
        for (name, state) in before where state != Expectation.missing {
            let document = try await PersistentDocument.create(at: place.url(name), model: Notes.model(), form: form)
            for state in [name == "A" ? earlier : nil, state].compactMap({ $0 }) {
                try Notes.write(state, to: document)
                try await document.save()
            }
            if name == "A", let autosaved {
                try Notes.write(autosaved, to: document)
                try await document.autosave()
                // As if killed here: nothing is closed.
                return
            }
            try await document.close()
        }
    }

    /// A in state 2, with its state 1 as the base of a merge, and a document that came from it too.
    private func prepareMerge(_ place: Place, _ form: DocumentForm) async throws {
        let document = try await PersistentDocument.create(at: place.url("A"), model: Notes.model(), form: form)
        try Notes.write(1, to: document)
        try await document.save()
        try await document.close()
        for copy in [place.base, place.theirs] { try FileManager.default.copyItem(at: place.url("A"), to: copy) }
        let theirs = try await PersistentDocument.open(place.theirs)
        try Notes.rename(theirs)
        try await theirs.close(.save)
        let ours = try await PersistentDocument.open(place.url("A"))
        try Notes.write(2, to: ours)
        try await ours.close(.save)
    }

    static let all = [
        create, createOver, open, save, saveGrowing, saveAgain, autosave, fold, revert, revertFolded, close, saveAs,
        saveAsOver, convert, pack, unpack, recover, discard,
        revertToVersion, restore, migrate, migrateAnew, merge,
    ]

    private static let create = Operation(name: "create", before: ["A": Expectation.missing]) { steps in
        let document = try await steps.saving("A", 0) {
            try await PersistentDocument.create(at: steps.place.url("A"), model: Notes.model(), form: steps.form)
        }
        try await steps.save(document, 2)
        try await document.close()
    }

    private static let createOver = Operation(name: "create-over") { steps in
        let document = try await steps.saving("A", 0) {
            try await PersistentDocument.create(
                at: steps.place.url("A"), model: Notes.model(), form: steps.form, replacing: true)
        }
        try await document.close()
    }

    private static let open = Operation(name: "open") { steps in
        let document = try await PersistentDocument.open(steps.place.url("A"))
        guard try Notes.read(document) == 1 else { throw Notes.Half("an opened document in another state") }
        try await document.close()
        let reader = try await PersistentDocument.open(steps.place.url("A"), mode: .reading)
        guard try Notes.read(reader) == 1 else { throw Notes.Half("a document read in another state") }
        try await reader.close()
    }

    private static let save = Operation(name: "save") { steps in
        let document = try await PersistentDocument.open(steps.place.url("A"))
        try await steps.save(document, 2)
        try await document.close()
    }

    /// A checkpoint that is cut short leaves a main file shorter than its header says.
    private static let saveGrowing = Operation(name: "save-growing") { steps in
        let document = try await PersistentDocument.open(steps.place.url("A"))
        try await steps.save(document, Notes.firstLarge)
        try await document.close()
    }

    /// Goes on after an error, as an editor does.
    private static let saveAgain = Operation(name: "save-again") { steps in
        let document = try await PersistentDocument.open(steps.place.url("A"))
        try? await steps.save(document, 2)
        try? await steps.autosave(document, 3)
        try await steps.save(document, 4)
        try await document.close()
    }

    private static let autosave = Operation(name: "autosave") { steps in
        let document = try await PersistentDocument.open(steps.place.url("A"))
        try await steps.autosave(document, 2)
        try await steps.autosave(document, 3)
        try await document.close()
    }

    /// The store takes up what was autosaved.
    private static let fold = Operation(name: "fold") { steps in
        let document = try await PersistentDocument.open(steps.place.url("A"))
        document.autosavedBytesLimit = 0
        try await steps.autosave(document, 2)
        try await steps.autosave(document, 3)
        try await document.close()
    }

    private static let revertFolded = Operation(name: "revert-folded") { steps in
        let document = try await PersistentDocument.open(steps.place.url("A"))
        document.autosavedBytesLimit = 0
        try await steps.autosave(document, 2)
        document.autosavedBytesLimit = nil
        try await steps.autosave(document, 3)
        try await steps.autosaving("A", 1) { try await document.revert() }
        guard try Notes.read(document) == 1 else { throw Notes.Half("a reverted document in another state") }
        try await document.close()
    }

    private static let revert = Operation(name: "revert") { steps in
        let document = try await PersistentDocument.open(steps.place.url("A"))
        try await steps.autosave(document, 2)
        try await steps.autosaving("A", 1) { try await document.revert() }
        guard try Notes.read(document) == 1 else { throw Notes.Half("a reverted document in another state") }
        try await document.close()
    }

    private static let close = Operation(name: "close-discarding") { steps in
        let document = try await PersistentDocument.open(steps.place.url("A"))
        try await steps.autosave(document, 2)
        try await steps.autosaving("A", 1) { try await document.close(discardingUnsavedWork: true) }
    }

    private static let saveAs = Operation(name: "save-as", makesB: true) { steps in
        try await steps.saveAs(steps.form, replacing: false)
    }

    private static let saveAsOver = Operation(name: "save-as-over", before: ["A": 1, "B": 7]) { steps in
        try await steps.saveAs(steps.form, replacing: true)
    }

    /// Into the other form, row by row or page by page.
    private static let convert = Operation(name: "convert", makesB: true) { steps in
        let document = try await PersistentDocument.open(steps.place.url("A"), mode: .reading)
        try await steps.saving("B", 1) {
            try await document.write(to: steps.place.url("B"), form: steps.form == .package ? .archive : .package)
        }
        try await document.close()
    }

    private static let pack = Operation(name: "pack", forms: [.package], makesB: true) { steps in
        try await steps.saving("B", 1) {
            _ = try await PersistentDocument.pack(steps.place.url("A"), to: steps.place.url("B"), withVersions: true)
        }
    }

    private static let unpack = Operation(name: "unpack", forms: [.archive], makesB: true) { steps in
        try await steps.saving("B", 1) {
            _ = try await PersistentDocument.unpack(steps.place.url("A"), to: steps.place.url("B"))
        }
    }

    private static let recover = Operation(name: "recover", autosaved: 2) { steps in
        let document = try await PersistentDocument.open(steps.place.url("A"), recovery: .keep)
        guard try Notes.read(document) == 2 else { throw Notes.Half("a recovered document in another state") }
        try await steps.saving("A", 2) { try await document.save() }
        try await document.close()
    }

    private static let discard = Operation(name: "recover-discarding", autosaved: 2) { steps in
        let document = try await steps.autosaving("A", 1) {
            try await PersistentDocument.open(steps.place.url("A"), recovery: .discard)
        }
        guard try Notes.read(document) == 1 else {
            throw Notes.Half("a document without its autosaved work in another state")
        }
        try await document.close()
    }

    private static let revertToVersion = Operation(
        name: "revert-to-version", before: ["A": 2], earlier: 1, forms: [.package]
    ) { steps in
        let document = try await PersistentDocument.open(steps.place.url("A"))
        try await steps.autosave(document, 3)
        guard let version = try document.versions().last else { throw Notes.Half("no version is kept") }
        // What was autosaved becomes a version, and so for a moment the saved state.
        steps.voice.say("try A saved 3")
        try await steps.saving("A", 1) { try await document.revert(to: version) }
        try await steps.save(document, 4)
        try await document.close()
    }

    private static let restore = Operation(name: "restore", before: ["A": 2], earlier: 1, forms: [.package]) { steps in
        let reader = try await PersistentDocument.open(steps.place.url("A"), mode: .reading)
        guard let version = try reader.versions().last else { throw Notes.Half("no version is kept") }
        try await reader.close()
        try await steps.saving("A", 1) {
            try await PersistentDocument.restore(steps.place.url("A"), to: version.generation)
        }
    }

    private static let merge = Operation(name: "merge", before: ["A": 2], earlier: 1, merges: true) { steps in
        let document = try await PersistentDocument.open(steps.place.url("A"))
        let report = try await document.merge(
            steps.place.theirs, base: .document(steps.place.base), deciding: .keep)
        guard report.undecided.count == 1, report.isApplied else { throw Notes.Half("a merge without its conflict") }
        try await steps.saving("A", 2) { try await document.save() }
        try await document.close()
    }

    private static let migrate = Operation(name: "migrate") { steps in try await steps.migrate(by: nil) }

    /// Object by object, into a store that takes the place of the old one.
    private static let migrateAnew = Operation(name: "migrate-anew") { steps in
        try await steps.migrate(by: Notes.mapping())
    }
}

/// Says what is tried and done.
struct Steps: Sendable {
    let place: Place
    let form: DocumentForm
    let voice: Voice

    func migrate(by mapping: MappingModel?) async throws {
        var migrator = DocumentMigrator(path: place.path("A"), model: try Notes.model(version: 2))
        migrator.mapping = mapping
        let ready = migrator
        try await saving("A", 1) { _ = try ready.migrate() }
        let document = try await PersistentDocument.open(place.url("A"))
        guard document.model.definition.versionIdentifiers == ["2"] else {
            throw Notes.Half("a migrated document of the old model")
        }
        try await save(document, 2)
        try await document.close()
    }

    func saving<Result>(_ document: String, _ state: Int, _ body: () async throws -> Result) async throws -> Result {
        try await step("\(document) saved \(state)", refusal: "refused", body)
    }

    func autosaving<Result>(_ document: String, _ state: Int, _ body: () async throws -> Result) async throws -> Result
    {
        try await step("\(document) autosaved \(state)", body)
    }

    func save(_ document: PersistentDocument, _ state: Int, as name: String = "A") async throws {
        try Notes.write(state, to: document)
        try await step("\(name) saved \(state)", refusal: "refused") { try await document.save() }
    }

    func autosave(_ document: PersistentDocument, _ state: Int) async throws {
        try Notes.write(state, to: document)
        try await autosaving("A", state) { try await document.autosave() }
    }

    func saveAs(_ form: DocumentForm, replacing: Bool) async throws {
        let document = try await PersistentDocument.open(place.url("A"))
        try Notes.write(2, to: document)
        try await saving("B", 2) { try await document.save(as: place.url("B"), form: form, replacing: replacing) }
        try await save(document, 3, as: "B")
        try await document.close()
    }

    /// - Parameter refusal: `refused` where an error means that nothing was done; else the step may
    ///   have failed after its commit.
    private func step<Result>(_ what: String, refusal: String = "stopped", _ body: () async throws -> Result)
        async throws -> Result
    {
        voice.say("try " + what)
        do {
            let result = try await body()
            voice.say("did " + what)
            return result
        } catch {
            voice.say("\((error as? DocumentError)?.isWritten == true ? "stopped" : refusal) \(what)")
            throw error
        }
    }
}
