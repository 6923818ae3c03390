import FileMigration
import Merging
import DocumentFiles
import DocumentKit
import Foundation
import ObjectGraph
import Query
import Schema
import TestSupport

/// A random sequence of all that can be done with a document.
final class DocumentProgram {
    struct Deviation: Error, CustomStringConvertible {
        let description: String
    }

    /// A document that was left behind, and what it must hold.
    private struct Left {
        let url: URL
        let state: LibraryState
        let isXML: Bool
        let version: Int
    }

    private let folder: URL
    private var random: SplitMix
    private var document: PersistentDocument
    private var form: DocumentForm
    /// The version of the model.
    private var version = 1
    private var lastNumber = 0
    /// The states that undo leads through, the present one last, and those that redo leads to.
    private var past = [LibraryState()]
    private var future: [LibraryState] = []
    private var saved = LibraryState()
    /// The saved states by their generations, of the present document.
    private var generations: [Int: LibraryState] = [:]
    private var left: [Left] = []
    private(set) var trace: [String] = []

    private var present: LibraryState {
        get { past[past.count - 1] }
        set { past[past.count - 1] = newValue }
    }

    init(in folder: URL, _ form: DocumentForm, seed: UInt64) async throws {
        self.folder = folder
        self.form = form
        random = SplitMix(state: seed)
        document = try await PersistentDocument.create(
            at: folder.appendingPathComponent("d0.document"), model: Self.model(1), form: form)
        for name in ["t0", "t1"] { try document.context.insert("Tag")["name"] = name }
        try await save()
        document.context.undoManager?.removeAllActions()
    }

    static func model(_ version: Int) throws -> ManagedObjectModel {
        var model = try Library.model().definition
        model.versionIdentifiers = ["\(version)"]
        if version > 1 {
            for index in model.entities.indices where model.entities[index].name == "Author" {
                model.entities[index].attributes[0].renamingIdentifier = "name"
                model.entities[index].attributes[0].name = "fullName"
            }
        }
        return try ManagedObjectModel(model)
    }

    private var hasLevels: Bool { form == .package || form == .archive }
    /// The model that a store needs that carries none.
    private var neededModel: ManagedObjectModel? {
        get throws { form == .xmlStore ? try Self.model(version) : nil }
    }

    private func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    private func freshURL() -> URL {
        lastNumber += 1
        return folder.appendingPathComponent("d\(lastNumber).document")
    }

    func go(_ steps: Int) async throws {
        for _ in 0..<steps {
            try await step()
            try check("the document")
        }
        while past.count > 1, document.context.undoManager?.canUndo == true { undo() }
        try check("the document, all undone,")
        while !future.isEmpty { redo() }
        try check("the document, all done again,")
        let url = document.url
        try await save()
        try await document.close()
        left.append(Left(url: url, state: saved, isXML: form == .xmlStore, version: version))
        for one in left {
            let model = one.isXML ? try Self.model(one.version) : nil
            let again = try await PersistentDocument.open(one.url, mode: .reading, model: model)
            let found = try LibraryState(again.context)
            try await again.close()
            if found != one.state {
                throw Deviation(description: "\(one.url.lastPathComponent) has \(found), not \(one.state)")
            }
            let findings = try DocumentVerifier.verify(one.url, isThorough: true, model: model)
            if !findings.isEmpty { throw Deviation(description: "\(one.url.lastPathComponent): \(findings)") }
        }
    }

    private func check(_ what: String) throws {
        let found = try LibraryState(document.context)
        if found != present { throw Deviation(description: "\(what) has \(found), not \(present)") }
        if !document.hasUnsavedChanges, present != saved {
            throw Deviation(description: "\(what) claims to be saved")
        }
    }

    // MARK: Steps

    private func step() async throws {
        switch number(0...31) {
        case 0...9: try edits()
        case 10...12: undo()
        case 13, 14: redo()
        case 15...17:
            trace.append("save")
            try await save()
        case 18...20: try await saveAs()
        case 21, 22:
            guard hasLevels else { return }
            trace.append("autosave")
            try await document.autosave()
        case 23: try await revert()
        case 24, 25: try await restore()
        case 26: try await closeAndOpen()
        case 27: try await recover()
        case 28, 29: try await merge()
        case 30: try await migrate()
        default:
            trace.append("refresh")
            document.context.refreshAllObjects()
        }
    }

    private func save() async throws {
        try await document.save()
        saved = present
        if let generation = document.generation { generations[generation] = saved }
        if document.hasUnsavedChanges || document.context.hasChanges {
            throw Deviation(description: "a saved document has changes")
        }
    }

    private func saveAs() async throws {
        let url = freshURL(), target = RandomDocumentTests.forms[number(0...4)]
        trace.append("save as \(url.lastPathComponent), \(target)")
        left.append(Left(url: document.url, state: saved, isXML: form == .xmlStore, version: version))
        try await document.save(as: url, form: target)
        form = target
        saved = present
        generations = [:]
        if let generation = document.generation { generations[generation] = saved }
        if document.hasUnsavedChanges {
            throw Deviation(description: "a document that was saved as another has changes")
        }
    }

    /// Begins anew: nothing that was can be undone.
    private func begin(_ state: LibraryState) {
        past = [state]
        future = []
    }

    private func revert() async throws {
        trace.append("revert")
        try await document.revert()
        begin(saved)
    }

    private func restore() async throws {
        guard form == .package, let version = try document.versions().randomElement(using: &random),
            let state = generations[version.generation]
        else { return }
        trace.append("restore \(version.generation)")
        try await document.revert(to: version)
        saved = state
        begin(state)
        if let generation = document.generation { generations[generation] = saved }
    }

    private func closeAndOpen() async throws {
        let url = document.url
        let work: PersistentDocument.UnsavedWork =
            hasLevels ? [.save, .keep, .discard][number(0...2)] : [.save, .discard][number(0...1)]
        trace.append("close \(work), open")
        try await document.close(work)
        switch work {
        case .save: saved = present
        case .discard: begin(saved)
        case .keep: break
        }
        document = try await PersistentDocument.open(url, model: neededModel, recovery: .keep)
        if let generation = document.generation { generations[generation] = saved }
        begin(present)
    }

    /// What a crash after an autosave leaves is opened elsewhere.
    private func recover() async throws {
        guard form == .package else { return }
        trace.append("recover")
        try await document.autosave()
        let url = freshURL()
        try FileManager.default.copyItem(at: document.url, to: url)
        let copy = try await PersistentDocument.open(url, recovery: .keep)
        let found = try LibraryState(copy.context)
        try await copy.close(.discard)
        if found != present { throw Deviation(description: "recovered is \(found), not \(present)") }
        left.append(Left(url: url, state: saved, isXML: false, version: version))
    }

    /// Another copy is edited and merged.
    private func merge() async throws {
        guard form == .package else { return }
        trace.append("merge (")
        try await save()
        let url = freshURL()
        try await document.write(to: url, includingVersions: true)
        let copy = try await PersistentDocument.open(url)
        var state = present
        try edit(copy.context, &state)
        copy.context.processPendingChanges()
        try await copy.save()
        try await copy.close()
        let count = document.context.undoManager?.undoCount ?? 0
        let report = try await document.merge(url)
        trace.append(")")
        guard report.isApplied else { throw Deviation(description: "a merge without conflicts was refused") }
        left.append(Left(url: url, state: state, isXML: false, version: version))
        settle(state, count)
    }

    private func migrate() async throws {
        guard version == 1 else { return }
        trace.append("migrate")
        let url = document.url
        try await document.close(.save)
        saved = present
        begin(present)
        document = try await PersistentDocument.open(
            url, by: PersistentDocument.MigrationRoute(to: try Self.model(2), from: [try Self.model(1)]),
            migration: .automatic)
        version = 2
        generations = [:]
        if let generation = document.generation { generations[generation] = saved }
    }

    // MARK: Edits

    private func settle(_ state: LibraryState, _ undoCount: Int) {
        if (document.context.undoManager?.undoCount ?? 0) > undoCount {
            past.append(state)
            future = []
        } else {
            present = state
        }
    }

    private func undo() {
        guard past.count > 1, document.context.undoManager?.canUndo == true else { return }
        trace.append("undo")
        document.context.undo()
        future.append(past.removeLast())
    }

    private func redo() {
        guard let next = future.popLast() else { return }
        trace.append("redo")
        document.context.redo()
        past.append(next)
    }

    private func edits() throws {
        document.context.processPendingChanges()
        let count = document.context.undoManager?.undoCount ?? 0
        var state = present
        for _ in 0..<number(1...3) { try edit(document.context, &state) }
        document.context.processPendingChanges()
        settle(state, count)
    }

    private func edit(_ context: ManagedObjectContext, _ state: inout LibraryState) throws {
        func one(_ entity: String, _ key: String, _ value: String) throws -> ManagedObject {
            let found: ManagedObject? = try context.first(
                entity, matching: FetchPredicate(format: "\(key) == '\(value)'"))
            guard let found else { throw Deviation(description: "there is no \(value)") }
            return found
        }
        let nameKey = version == 1 ? "name" : "fullName"
        let choice = number(0...11)
        guard choice > 2, let title = state.books.keys.sorted().randomElement(using: &random) else {
            lastNumber += 1
            if choice == 2 {
                trace.append("author a\(lastNumber)")
                try context.insert("Author")[nameKey] = "a\(lastNumber)"
                state.authors["a\(lastNumber)"] = []
            } else {
                trace.append("book b\(lastNumber)")
                let book = try context.insert(choice == 0 ? "Book" : "Novel")
                book["title"] = "b\(lastNumber)"
                book["pages"] = lastNumber
                state.books["b\(lastNumber)"] = LibraryState.Book(pages: lastNumber)
            }
            return
        }
        let book = try one("Book", "title", title)
        let name = state.authors.keys.sorted().randomElement(using: &random)
        switch choice {
        case 3:
            let pages = number(0...2) == 0 ? nil : number(0...99)
            trace.append("\(title).pages = \(pages ?? -1)")
            book["pages"] = pages
            state.books[title]?.pages = pages
        case 4:
            let cover = number(0...3) == 0 ? nil : number(1...99)
            trace.append("\(title).cover = \(cover ?? -1)")
            book["cover"] = cover.map(LibraryState.cover)
            state.books[title]?.cover = cover
        case 5, 6:
            trace.append("delete \(title)")
            context.delete(book)
            context.processWithinStep()
            state.removeBook(title)
        case 7:
            guard let name else { return }
            trace.append("delete \(name)")
            context.delete(try one("Author", nameKey, name))
            context.processWithinStep()
            for title in state.authors[name] ?? [] { state.removeBook(title) }
            state.authors[name] = nil
        case 8, 9:
            let target = number(0...4) == 0 ? nil : name
            trace.append("\(title).author = \(target ?? "nil")")
            book["author"] = try target.map { try one("Author", nameKey, $0) }
            state.setAuthor(target, of: title)
        case 10:
            guard let name, let books = state.authors[name], books.count > 1 else { return }
            trace.append("\(name).books moved")
            try one("Author", nameKey, name).mutableOrderedSetValue(forKey: "books").moveObjects(
                at: [0], to: books.count - 1)
            state.authors[name] = Array(books.dropFirst()) + [books[0]]
        default:
            let tag = "t\(number(0...1))"
            trace.append("\(title) ± \(tag)")
            let tags = book.mutableSetValue(forKey: "tags"), object = try one("Tag", "name", tag)
            if tags.contains(object) { tags.remove(object) } else { tags.add(object) }
            if state.books[title]?.tags.remove(tag) == nil { state.books[title]?.tags.insert(tag) }
        }
    }
}
