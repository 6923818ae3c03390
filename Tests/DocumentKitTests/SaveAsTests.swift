import DocumentFiles
import DocumentKit
import FileSystem
import Foundation
import ObjectGraph
import Query
import Schema
import Storage
import TestSupport
import Testing

/// Documents written to other places and in other forms.
@Suite(.serialized) struct SaveAsTests {
    /// What a document holds, in words that don't depend on its UUID.
    private func dump(_ document: PersistentDocument) throws -> [String] {
        var lines: [String] = []
        func name(_ object: ManagedObject) -> String {
            object.objectID.description.split(separator: "/").suffix(2).joined(separator: "/")
        }
        for entity in document.model.entities where !entity.isAbstract {
            var request = FetchRequest<ManagedObject>(entityName: entity.name)
            request.includesSubentities = false
            for object in try document.context.fetch(request) {
                for property in entity.properties {
                    switch object[property.name] {
                    case nil: lines.append("\(name(object)).\(property.name)")
                    case let member as ManagedObject: lines.append("\(name(object)).\(property.name)=\(name(member))")
                    case let members as [ManagedObject]:
                        lines.append("\(name(object)).\(property.name)=\(members.map(name))")
                    case let members as Set<ManagedObject>:
                        lines.append("\(name(object)).\(property.name)=\(members.map(name).sorted())")
                    case let value as LargeValue:
                        lines.append("\(name(object)).\(property.name)=\(try value.data().hashValue)")
                    case let value?: lines.append("\(name(object)).\(property.name)=\(value)")
                    }
                }
            }
        }
        return lines.sorted()
    }

    private func makeLibrary(_ url: URL, _ form: DocumentForm) async throws -> [String] {
        let document = try await PersistentDocument.create(at: url, model: Library.model(), form: form)
        try Library.fill(document.context)
        try await document.save()
        let result = try dump(document)
        try await document.close()
        return result
    }

    @Test(
        arguments: [DocumentForm.package, .archive, .store, .binaryStore, .xmlStore],
        sweep([DocumentForm.package, .archive], all: [.package, .archive, .store, .binaryStore, .xmlStore]))
    func everyFormIsWrittenFromEveryForm(_ source: DocumentForm, _ target: DocumentForm) async throws {
        try await withFolder { folder in
            let from = folder.appendingPathComponent("from.sqlite"), to = folder.appendingPathComponent("to.sqlite")
            let expected = try await makeLibrary(from, source)
            let before = try contents(of: folder)
            // XML stores carry no model.
            let document = try await PersistentDocument.open(
                from, mode: .reading, model: source == .xmlStore ? Library.model() : nil)
            try await document.write(to: to, form: target)
            let uuid = document.uuid
            try await document.close()
            for (name, bytes) in before {
                #expect(try Disk.read(folder.path + "/" + name, limit: 1 << 30) == bytes, "\(name)")
            }

            let model = target == .xmlStore ? try Library.model() : nil
            let copy = try await PersistentDocument.open(to, model: model)
            #expect(copy.uuid != uuid)
            #expect(try dump(copy) == expected)
            try Library.insertBook("new", copy)
            try await copy.save()
            try await copy.close()
            #expect(try DocumentVerifier.verify(to, isThorough: true, model: model).isEmpty)
            #expect(try DocumentInfo(of: to, model: model).entities["Book"] == 2)
            #expect(
                try Disk.list(folder.path).map(\.name).filter {
                    $0.contains("tmp") || $0.hasSuffix("lock") || $0.hasSuffix("wal")
                }.isEmpty)
        }
    }
}

extension SaveAsTests {
    @Test func unsavedWorkGoesAlongAndTheOldDocumentStaysAsSaved() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio"), other = folder.appendingPathComponent("B.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            try Library.insertBook("saved", document)
            try await document.save()
            try Library.insertBook("autosaved", document)
            try await document.autosave()
            let book = try document.context.insert("Book")
            book["title"] = "pending"
            try await document.save(as: other)
            #expect(document.url.lastPathComponent == "B.folio")
            #expect(!document.hasUnsavedChanges)
            // The objects are still the same, in the new document.
            #expect(!book.objectID.isTemporaryID)
            #expect(book.objectID.storeUUID == document.uuid)
            book["title"] = "edited"
            try await document.save()
            #expect(try Library.titles(document) == ["autosaved", "edited", "saved"])
            try await document.close()

            let old = try await PersistentDocument.open(url)
            #expect(try Library.titles(old) == ["saved"])
            try await old.close()
            #expect(try Disk.list(folder.path).map(\.name) == ["A.folio", "B.folio"])
        }
    }

    @Test func aStoreByItselfBecomesAPackageAndBack() async throws {
        try await withFolder { folder in
            let store = folder.appendingPathComponent("A.sqlite"), package = folder.appendingPathComponent("B.folio")
            let expected = try await makeLibrary(store, .store)
            let document = try await PersistentDocument.open(store)
            await #expect(throws: DocumentError.self) { try await document.autosave() }
            let author = try #require(
                try document.context.fetch(FetchRequest<ManagedObject>(entityName: "Author")).first)
            try await document.save(as: package, form: .package)
            #expect(document.kind == .package)
            #expect(try dump(document) == expected)
            // Versions began anew with the rows; objects know the new ones.
            author["name"] = "Evans"
            try await document.save()
            author["name"] = "Eliot"
            try await document.autosave()
            try await document.save(as: store, form: .store, replacing: true)
            #expect(try dump(document) == expected)
            try await document.close()
            #expect(try DocumentVerifier.verify(store, isThorough: true).isEmpty)
        }
    }

    @Test func writingOverADocumentReplacesItWhole() async throws {
        try await withFolder { folder in
            for (index, form) in [DocumentForm.package, .archive, .store].enumerated() {
                let url = folder.appendingPathComponent("A\(index)"), other = folder.appendingPathComponent("B\(index)")
                let expected = try await makeLibrary(url, .package)
                let old = try await PersistentDocument.create(
                    at: other, model: Library.model(), form: index == 0 ? .archive : .store)
                try Library.fill(old.context)
                try await old.save()
                try await old.close()
                let document = try await PersistentDocument.open(url, mode: .reading)
                await #expect(throws: DocumentError.self) { try await document.write(to: other, form: form) }
                await #expect(throws: DocumentError.self) {
                    try await document.write(to: url, form: form, replacing: true)
                }
                try await document.write(to: other, form: form, replacing: true)
                try await document.close()
                let replaced = try await PersistentDocument.open(other)
                #expect(try dump(replaced) == expected)
                try await replaced.close()
            }
            // The large values of the store that was replaced are gone too.
            let names = try contents(of: folder).keys.filter { $0.hasPrefix(".") }
            #expect(names.count == 2 && names.contains { $0.hasPrefix(".B2_SUPPORT/_EXTERNAL_DATA/") }, "\(names)")
        }
    }
}

extension SaveAsTests {
    @Test func whatCantBeSavedIsNotWritten() async throws {
        try await withFolder { folder in
            let url = folder.appendingPathComponent("A.folio")
            let document = try await PersistentDocument.create(at: url, model: Library.model())
            let author = try document.context.insert("Author")
            await #expect(throws: ValidationError.self) {
                try await document.write(to: folder.appendingPathComponent("B.folio"))
            }
            #expect(try Disk.list(folder.path).map(\.name).filter { $0 != ".A.folio.lock" } == ["A.folio"])
            author["name"] = "valid"
            try await document.write(to: folder.appendingPathComponent("B.folio"))
            // Written elsewhere is not saved here.
            #expect(document.context.hasChanges)
            try await document.save()
            try await document.close()
            #expect(try DocumentInfo(of: folder.appendingPathComponent("B.folio")).entities["Author"] == 1)
            #expect(try DocumentInfo(of: url).entities["Author"] == 1)
        }
    }
}
