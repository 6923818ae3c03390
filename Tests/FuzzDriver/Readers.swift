import ArchiveKit
import AtomicStores
import Coding
import DocumentFiles
import FileSystem
import Foundation
import ModelFiles
import SQLiteFile
import SQLiteKit
import Schema
import Storage
import TestSupport

/// What reads bytes that may come from anybody. One that reads in memory takes microseconds, one
/// that needs a file some ten more.
struct Reader {
    let name: String
    /// Sound bytes to begin with.
    let seeds: [[UInt8]]
    /// Puts the checksums right, so that only the numbers themselves can be objected to; by chance
    /// left out.
    var mend: ([UInt8]) -> [UInt8] = { $0 }
    var isText = false
    let read: ([UInt8]) throws -> Void

    static let names = [
        "manifest", "property-list", "xml-property-list", "keyed-archive", "compiled-model", "model-contents",
        "mapping-model", "compiled-mapping", "marker", "origin", "lock", "version-index", "version-delta",
        "zip-directory",
        "zip-salvage", "zip64", "page-sums", "wal", "database-pages", "database", "xml-store", "binary-store",
    ]

    /// - Parameter place: A file of the reader's own, to be written anew each time.
    static func make(_ name: String, _ fixtures: Fixtures, _ place: String) throws -> Reader {
        func put(_ bytes: [UInt8]) throws {
            let file = try File(place, .openOrCreate(mode: 0o600))
            defer { file.close() }
            try file.truncate(to: 0)
            try bytes.withUnsafeBytes { try file.write($0, at: 0) }
        }
        let contents = try modelContents(fixtures), model = try ModelContents.decode(Data(contents))
        switch name {
        case "manifest":
            return Reader(name: name, seeds: [try fixtures.bytes(fixtures.package + "/manifest.json")], isText: true) {
                _ = try DocumentManifest.decode($0, path: "m").encoded
            }
        case "property-list", "keyed-archive":
            let seeds =
                try [CompiledModel.encode(model), CompiledModel.encode(model, form: .storeCache)].map { Array($0) } + [
                    metadata(fixtures)
                ]
            return Reader(name: name, seeds: seeds) { bytes in
                if name == "property-list" {
                    _ = try PropertyList.decode(Data(bytes))
                } else {
                    _ = try KeyedArchive(Data(bytes)).root()
                }
            }
        case "xml-property-list":
            let value = try PropertyList.decode(Data(metadata(fixtures)))
            return Reader(name: name, seeds: [Array(try PropertyList.encodeXML(value))], isText: true) {
                _ = try PropertyList.decode(Data($0))
            }
        case "compiled-model":
            return Reader(
                name: name, seeds: [Array(try CompiledModel.encode(model)), Array(try ModelCache.encode(model))]
            ) { bytes in
                do { _ = try CompiledModel.decode(Data(bytes)) } catch { _ = try ModelCache.decode(Data(bytes)) }
            }
        case "model-contents":
            return Reader(name: name, seeds: [contents], isText: true) { _ = try ModelContents.decode(Data($0)) }
        case "mapping-model":
            return Reader(name: name, seeds: [Array(mappingModel.utf8)], isText: true) {
                _ = try MappingFile.decode(Data($0))
            }
        case "lock":
            let text =
                "{\"bootID\": \"x\", \"host\": \"h\", \"pid\": 12, \"program\": \"p\", \"since\": \"2026-01-01T00:00:00Z\", \"user\": \"u\", \"more\": 3}"
            let file = FilePath.parent(place) + "/.A.folio.lock"
            return Reader(name: name, seeds: [Array(text.utf8)], isText: true) { bytes in
                try Data(bytes).write(to: URL(fileURLWithPath: file))
                try DocumentLock.acquire(FilePath.parent(place) + "/A.folio", document: nil).release()
            }
        case "version-index", "version-delta":
            let folder = FilePath.parent(place) + "/versions"
            try Disk.copyTree(fixtures.package + "/versions", to: folder)
            let files = try Disk.list(folder).filter {
                name == "version-index" ? $0.name == "index.json" : $0.name.hasSuffix(".delta")
            }
            guard let file = files.min(by: { $0.name < $1.name })?.name else {
                throw Fixtures.Failure(description: "no \(name)")
            }
            let versions = VersionStore(folder: folder)
            return Reader(
                name: name, seeds: [try fixtures.bytes(folder + "/" + file)],
                mend: { name == "version-delta" ? Checksums.delta($0) : $0 }, isText: name == "version-index"
            ) { bytes in
                try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + file))
                for version in try versions.list() {
                    _ = (version.saved.formatted(.iso8601), version.bytes, version.size)
                }
                _ = try versions.contentReferences()
            }
        case "zip-directory", "zip-salvage":
            let path = FilePath.parent(place) + "/small.zip"
            let parts = ["mimetype", "extra/one", "extra/two"].map {
                ArchivePart(name: $0, content: .bytes(Array(String(repeating: $0, count: 40).utf8)))
            }
            try ArchiveWriter.write(parts, to: File(path, .create(mode: 0o600)))
            return Reader(name: name, seeds: [try fixtures.bytes(path)]) { bytes in
                try put(bytes)
                if name == "zip-directory" {
                    let reader = try ArchiveReader(File(place, .read))
                    for entry in reader.directory.entries where !entry.isDirectory {
                        _ = try? reader.read(entry.name, limit: 1 << 20)
                    }
                } else {
                    let target = place + ".out"
                    try Disk.makeDirectory(target, mode: 0o700)
                    defer { try? Disk.removeTree(target) }
                    var salvager = try ArchiveSalvager(File(place, .read)) { _ in true }
                    _ = try salvager.extract(to: target)
                }
            }
        case "wal":
            return Reader(
                name: name, seeds: [Array(try fixtures.bytes(fixtures.storeWithWAL + "-wal").prefix(32 + 3 * 4120))],
                mend: { Checksums.wal($0) }
            ) { bytes in
                try Data(bytes).write(to: URL(fileURLWithPath: place + "-wal"))
                _ = try WriteAheadLog.committedFrames(ofStoreAt: place)
            }
        case "database-pages", "database":
            let seed = try smallDatabase(place)
            return Reader(name: name, seeds: [seed]) { bytes in
                try put(bytes)
                if name == "database-pages" { Self.readPages(try DamagedDatabase(place)) } else { try readTable(place) }
            }
        case "xml-store", "binary-store":
            let factory =
                name == "xml-store"
                ? AtomicPersistentStore.xmlFactory
                : AtomicPersistentStore.binaryFactory(
                    ModelCoding(encode: { try ModelCache.encode($0) }, decode: { try ModelCache.decode($0) }))
            let seed = try fixtures.bytes(fixtures.small(name == "xml-store" ? "xml" : "binary"))
            return Reader(
                name: name, seeds: [seed], mend: { name == "xml-store" ? $0 : Checksums.binaryStore($0) },
                isText: name == "xml-store"
            ) { bytes in
                try put(bytes)
                var description = PersistentStoreDescription(url: URL(fileURLWithPath: place))
                description.isReadOnly = true
                let store = try factory.open(description, model)
                for entity in model.entities where !entity.isAbstract {
                    _ = try store.count(RowRequest(entityIndex: entity.index, includesSubentities: false))
                }
            }
        default: return try makeOther(name, fixtures, place)
        }
    }
}
