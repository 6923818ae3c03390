import Foundation
import FileSystem
package import Schema
import Storage
import Synchronization

/// The files in which a store keeps its large values, one file for each value.
///
/// Values are immutable: a file is written once and removed when nothing refers to it any more. No
/// value is loaded into memory as a whole here.
package struct ExternalValues: Sendable {
    /// The path of a value's file. The file need not exist.
    package var path: @Sendable (_ name: String) -> String
    /// Writes a value durably, including its directory entry, and returns the name by which the
    /// store refers to it: UUID text.
    package var write: @Sendable (_ value: LargeValue) throws -> String
    /// Makes an existing value durable before a row refers to it; returns false if there is no such
    /// value.
    package var secure: @Sendable (_ name: String) throws -> Bool
    /// Removes a value that `write` created and that was not committed.
    package var remove: @Sendable (_ name: String) throws -> Void
    /// Opens a value that may not be in a separate file; nil opens the file.
    package var open: (@Sendable (_ name: String) throws -> any LargeValueInput)?
    /// The names of the values that other stores need, too; nil if they are not known, so that none
    /// may be removed.
    var neededElsewhere: @Sendable () throws -> Set<String>? = { [] }

    package init(
        path: @escaping @Sendable (_ name: String) -> String,
        write: @escaping @Sendable (_ value: LargeValue) throws -> String,
        secure: @escaping @Sendable (_ name: String) throws -> Bool,
        remove: @escaping @Sendable (_ name: String) throws -> Void,
        open: (@Sendable (_ name: String) throws -> any LargeValueInput)? = nil
    ) {
        self.path = path
        self.write = write
        self.secure = secure
        self.remove = remove
        self.open = open
    }

    /// Larger values are stored in a file; Core Data's limit is about 100 KB too.
    static let largestInlineValue = 100_000

    // MARK: Cells

    /// The value of a cell. The first byte tells where the value is stored.
    func value(ofCell cell: Data) -> LargeValue {
        switch cell.first {
        case 1: return LargeValue(Data(cell.dropFirst()))
        case 2: return LargeValue(StoredValue(fileName: Self.name(inCell: cell) ?? "", path: path, other: open))
        default: return LargeValue(cell)
        }
    }

    /// The source of the value with a name in this store.
    func source(named name: String) -> any LargeValueSource { StoredValue(fileName: name, path: path, other: open) }

    /// The name in a cell that refers to a file: 36 characters of a UUID, after a byte 2 and before
    /// a byte 0. Other names are rejected, so a path can't leave the folder.
    static func name(inCell cell: Data) -> String? {
        guard cell.count >= 37, cell.first == 2 else { return nil }
        let name = String(decoding: cell.dropFirst().prefix(36), as: UTF8.self)
        return isName(name) ? name : nil
    }

    static func isName(_ name: String) -> Bool {
        name.utf8.count == 36
            && name.utf8.allSatisfy { byte in
                byte == 0x2d || (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte)
                    || (0x61...0x66).contains(byte)
            }
    }

    static func cell(referringTo name: String) -> Data {
        Data([2]) + Data(name.utf8) + Data([0])
    }
}

/// A value in a file of a store.
private struct StoredValue: LargeValueSource {
    /// Empty if the cell's reference is not a valid name.
    let fileName: String?
    let path: @Sendable (String) -> String
    let other: (@Sendable (String) throws -> any LargeValueInput)?

    func open() throws -> any LargeValueInput {
        guard let name = fileName, !name.isEmpty else {
            throw StorageError(.damaged, "The store refers to a large value by something that is no name")
        }
        if let other { return try other(name) }
        let path = path(name)
        do {
            return try FileInput(File(path, .read))
        } catch let error as FileSystemError where error.code == .notFound {
            throw StorageError(.notFound, "The file of a large value is missing: \(name)", path: path)
        } catch {
            throw StorageError(
                .inputOutput, "The file of a large value can't be read: \(error)", path: path, underlying: error)
        }
    }
}

extension ExternalValues {
    /// The values of an in-memory store. They are lost with it.
    static func inMemory() -> ExternalValues {
        let values = ValuesInMemory()
        return ExternalValues(
            path: { $0 }, write: { values.add(try $0.data()) }, secure: { values.value($0) != nil },
            remove: { values.remove($0) },
            open: { name in
                guard let value = values.value(name) else {
                    throw StorageError(.notFound, "The store in memory has no large value \(name)")
                }
                return BytesSource(value).open()
            })
    }

    private final class ValuesInMemory: Sendable {
        private let values = Mutex<[String: Data]>([:])

        func add(_ value: Data) -> String {
            let name = UUID().uuidString
            values.withLock { $0[name] = value }
            return name
        }

        func value(_ name: String) -> Data? { values.withLock { $0[name] } }
        func remove(_ name: String) { values.withLock { $0[name] = nil } }
    }

    /// The name of the folder of the values in the support folder.
    static let valuesFolder = "_EXTERNAL_DATA"

    /// The support folder of a store, named as Core Data names it.
    package static func folder(beside path: String) -> String {
        let name = FilePath.name(path)
        let stem = name.lastIndex(of: ".").flatMap { $0 > name.startIndex ? name[..<$0] : nil } ?? name[...]
        return FilePath.join(FilePath.parent(path), ".\(stem)_SUPPORT")
    }

    /// Files in Core Data's location: `.Name_SUPPORT/_EXTERNAL_DATA/<UUID>` next to `Name.sqlite`.
    package static func besideStore(at path: String) -> ExternalValues {
        let folder = FilePath.join(folder(beside: path), valuesFolder)
        let durable = DurableNames()
        // The folder of the values, and the support folder that contains it.
        let levels = 2
        var values = ExternalValues(
            path: { FilePath.join(folder, $0) },
            write: { value in
                let protection = try FileProtection(of: path)
                if try !Disk.exists(folder) {
                    durable.forgetFolders()
                    try Disk.makeDirectories(folder, mode: protection.folderMode)
                }
                let name = UUID().uuidString
                let place = FilePath.join(folder, name)
                let file = try File(place, .create(mode: protection.fileMode))
                do {
                    try value.copy(to: file)
                    try file.synchronize()
                    try durable.note(name, file: place, levels: levels)
                } catch {
                    _ = try? Disk.removeFileIfPresent(place)
                    throw error
                }
                return name
            },
            secure: { name in
                guard isName(name) else { return false }
                return try durable.secure(name, file: FilePath.join(folder, name), levels: levels)
            },
            remove: { name in
                guard isName(name) else { return }
                durable.forget(name)
                try Disk.removeFileIfPresent(FilePath.join(folder, name))
            })
        values.neededElsewhere = { try namesOfOthers(sharing: path) }
        return values
    }
}
