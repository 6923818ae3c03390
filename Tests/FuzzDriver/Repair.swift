import ArchiveKit
import DocumentFiles
import FileSystem
import Foundation
import ModelFiles
import SQLiteFile
import SQLiteKit
import Schema
import TestSupport

/// Damages documents of one kind, repairs them, and holds what comes out against what was there:
/// rows on pages that are as they were have to be there, and what is not there has to be told.
struct Repair {
    static let names = [
        "repair-package", "repair-package-wal", "repair-archive", "repair-many-entries", "repair-store",
        "repair-store-wal", "repair-xml", "repair-binary",
    ]

    private static let pageSize = 4096

    struct Object: Hashable {
        let entity: Int64
        let key: Int64
    }

    /// A file of the document that is damaged, beneath its path; empty for the document itself.
    private struct Part {
        let name: String
        let bytes: [UInt8]
    }

    private let kind: String
    private let document: String
    private let work: String
    private let parts: [Part]
    private let model: ManagedObjectModel
    /// The objects, with the page of the store that has all of each; nil where it goes on in
    /// others.
    private let objects: [Object: Int?]
    /// Where the store begins in the damaged file, and what has to be right before that.
    private let storePlace: (header: Int, start: Int)
    /// Pages of the store that the WAL has.
    private let pagesInWAL: Set<Int>

    init(_ kind: String, _ fixtures: Fixtures, _ work: String) throws {
        self.kind = kind
        self.work = work
        document =
            switch kind {
            case "repair-package": fixtures.package
            case "repair-package-wal": fixtures.packageWithWAL
            case "repair-archive": fixtures.archive
            case "repair-many-entries": try fixtures.archive(entries: 2_000)
            case "repair-store": fixtures.store
            case "repair-store-wal": fixtures.storeWithWAL
            case "repair-xml": fixtures.xml
            default: fixtures.binary
            }
        model = try ModelContents.decode(Data(Reader.modelContents(fixtures)))
        let store = kind.hasPrefix("repair-package") ? "/store/store.sqlite" : ""
        let names =
            kind.hasPrefix("repair-package")
            ? [store, store + "-wal", "/manifest.json", "/model/Expeditions.xcdatamodel/contents"] : ["", "-wal"]
        let document = document
        parts = try names.filter { try Disk.kind(of: document + $0) == .file }.map {
            Part(name: $0, bytes: try fixtures.bytes(document + $0))
        }
        var found = document + store, place = (header: 0, start: 0)
        if kind == "repair-archive" || kind == "repair-many-entries" {
            let reader = try ArchiveReader(File(document, .read))
            found = fixtures.folder + "/packed.sqlite"
            try Data(reader.read("store/store.sqlite", limit: 64 << 20)).write(to: URL(fileURLWithPath: found))
            if let entry = reader.directory["store/store.sqlite"] {
                place = (Int(entry.headerOffset), Int(entry.dataOffset))
            }
        }
        storePlace = place
        let hasStore = kind != "repair-xml" && kind != "repair-binary"
        objects = hasStore ? try Self.objects(found) : [:]
        var inWAL: Set<Int> = []
        if let log = parts.first(where: { $0.name.hasSuffix("-wal") })?.bytes {
            for frame in stride(from: 32, to: log.count - 24, by: 24 + Self.pageSize) {
                inWAL.insert(log[frame..<frame + 4].reduce(0) { $0 << 8 | Int($1) })
            }
        }
        pagesInWAL = inWAL
    }

    /// The objects of a store.
    private static func objects(_ path: String) throws -> [Object: Int?] {
        let database = try DamagedDatabase(path)
        var roots: [Int] = []
        for leaf in database.tree(root: 1).leaves {
            _ = database.forEachRow(ofLeaf: leaf.page) { row in
                guard database.text(row[0]) == "table", let name = database.text(row[1]), name.hasPrefix("Z"),
                    !name.hasPrefix("Z_"), let root = row[3].integer
                else { return }
                roots.append(Int(root))
            }
        }
        var objects: [Object: Int?] = [:]
        for root in roots {
            for leaf in database.tree(root: root).leaves {
                for row in database.heads(ofLeaf: leaf.page) {
                    guard let entity = row[1].integer else { continue }
                    objects[Object(entity: entity, key: row.key)] = .some(row.isSound ? leaf.page : nil)
                }
            }
        }
        return objects
    }

    // MARK: One run

    /// - Returns: whether anything was saved.
    func run(_ dice: inout SplitMix) throws -> Bool {
        if try Disk.exists(work) { try Disk.removeTree(work) }
        try Disk.makeDirectory(work, mode: 0o700)
        let copy = FilePath.join(work, FilePath.name(document))
        if parts.contains(where: { $0.name.hasPrefix("/") }) {
            try Disk.copyTree(document, to: copy)
        } else {
            for part in parts { try Disk.copyFile(document + part.name, to: copy + part.name) }
        }
        let choice = dice.next() % 8 < 5 ? 0 : dice.below(parts.count)
        let part = parts[choice], bytes = damaged(part.bytes, &dice)
        try Data(bytes).write(to: URL(fileURLWithPath: copy + part.name))
        let expected = expected(part, bytes)
        let isModelGone = part.name.hasSuffix("contents") || !kind.hasPrefix("repair-package")
        let model = isModelGone ? model : nil
        let target = FilePath.join(work, "saved"), report: RepairReport
        do {
            report = try DocumentRepairer.repair(
                URL(fileURLWithPath: copy), to: URL(fileURLWithPath: target), replacing: false, isDryRun: false,
                fitting: ModelChoice(model))
        } catch let error as DocumentError {
            guard expected.isEmpty else {
                throw Fixtures.Failure(description: "nothing is saved, \(expected.count) objects can be read: \(error)")
            }
            return false
        }
        let saved = try Set(Self.objects(try store(of: target)).keys)
        let missing = Set(objects.keys).subtracting(saved)
        if !missing.isEmpty, report.lost.isEmpty {
            throw Fixtures.Failure(description: "\(missing.count) objects are missing, none is told")
        }
        let told = Set(report.lost.compactMap(\.object))
        let unexpected = missing.intersection(expected).filter { !told.contains(name(of: $0)) }
        guard unexpected.isEmpty else {
            throw Fixtures.Failure(
                description:
                    "\(unexpected.count) objects of sound pages are missing, such as \(unexpected.map { name(of: $0) }.min() ?? ""): \(report.lost.prefix(8).map(\.description))"
            )
        }
        return true
    }

    /// Core Data numbers entities from 1.
    private func name(of object: Object) -> String {
        let index = Int(object.entity) - 1
        return "\(model.entities.indices.contains(index) ? model.entities[index].name : "?")/p\(object.key)"
    }

    private func store(of saved: String) throws -> String {
        switch try Disk.kind(of: saved) {
        case .directory: return saved + "/store/store.sqlite"
        default:
            guard kind == "repair-archive" || kind == "repair-many-entries" else { return saved }
            let path = FilePath.join(work, "unpacked.sqlite")
            try Data(ArchiveReader(File(saved, .read)).read("store/store.sqlite", limit: 64 << 20)).write(
                to: URL(fileURLWithPath: path))
            return path
        }
    }

    /// What must be there: what stands on pages that are as they were. After damage to the WAL,
    /// which of two states is there is another question.
    private func expected(_ part: Part, _ bytes: [UInt8]) -> Set<Object> {
        guard !part.name.hasSuffix("-wal") else { return [] }
        guard part.name.isEmpty || part.name.hasSuffix(".sqlite") else { return Set(objects.keys) }
        let place = storePlace
        guard bytes.count > place.start, bytes[place.header..<place.start] == part.bytes[place.header..<place.start]
        else { return [] }
        return Set(
            objects.filter { _, page in
                guard let page else { return false }
                if pagesInWAL.contains(page) { return true }
                let start = place.start + (page - 1) * Self.pageSize, end = start + Self.pageSize
                return end <= bytes.count && bytes[start..<end] == part.bytes[start..<end]
            }.keys)
    }

    // MARK: Damage

    private func damaged(_ original: [UInt8], _ dice: inout SplitMix) -> [UInt8] {
        var bytes = original
        let size = Self.pageSize, pages = max(1, bytes.count / size)
        func page(_ dice: inout SplitMix) -> Range<Int> {
            let start = dice.below(pages) * size
            return start..<min(bytes.count, start + size)
        }
        for _ in 0...(dice.next() % 3) {
            switch dice.next() % 9 {
            case 0, 1: for _ in 0...(dice.next() % 8) { bytes[dice.below(bytes.count)] ^= 1 << UInt8(dice.next() % 8) }
            case 2:
                let place = page(&dice).lowerBound + dice.below(16)
                dice.putExtreme(into: &bytes, at: place, count: [1, 2, 4][dice.below(3)], isBigEndian: true)
            case 3: for index in page(&dice) { bytes[index] = 0 }
            case 4: for index in page(&dice) { bytes[index] = UInt8(truncatingIfNeeded: dice.next()) }
            case 5, 6:
                let one = page(&dice), other = page(&dice)
                guard one.count == size, other.count == size else { continue }
                let piece = Array(bytes[one])
                bytes.replaceSubrange(one, with: Array(bytes[other]))
                if dice.next() % 2 == 0 { bytes.replaceSubrange(other, with: piece) }
            case 7:
                for index in 0..<min(bytes.count, 4096) where dice.next() % 512 == 0 {
                    bytes[index] = UInt8(truncatingIfNeeded: dice.next())
                }
            default: if dice.next() % 2 == 0 { return Array(bytes.prefix(dice.below(bytes.count))) }
            }
        }
        return bytes
    }
}
