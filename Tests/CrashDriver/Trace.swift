import FileSystem
import Foundation

/// The changes that an operation made to files and folders, in their order, freed of paths: what
/// each did to which file.
struct Trace {
    enum Change {
        case write(file: Int, offset: Int, bytes: ArraySlice<UInt8>)
        case truncate(file: Int, size: Int)
        /// Names that change together: made, removed, moved. The last folder is the one whose
        /// synchronization makes it durable.
        case names([(folder: Int, name: String, item: Int?)])
        case synchronize(item: Int)
        case said(String)
    }

    struct Step {
        let change: Change
        /// What was called, with the path, for people.
        let description: String
    }

    /// The tree before, and its items: files by their bytes, folders by their names.
    private(set) var files: [Int: [UInt8]] = [:]
    private(set) var folders: [Int: [String: Int]] = [:]
    private(set) var steps: [Step] = []
    static let root = 0
    private var next = 1
    private let top: String
    /// The names as they are while the trace is read.
    private var now: [Int: [String: Int]] = [:]

    /// - Parameters:
    ///   - file: What the supervisor wrote.
    ///   - top: The folder that it is about, which is `original` beforehand.
    init(_ file: String, top: String, original: String) throws {
        self.top = top
        folders[Self.root] = [:]
        try scan(original, Self.root)
        now = folders
        let bytes = try Disk.read(file, limit: 1 << 30)
        var place = bytes.startIndex
        while let end = bytes[place...].firstIndex(of: UInt8(ascii: "\n")) {
            let fields = String(decoding: bytes[place..<end], as: UTF8.self).split(
                separator: "\t", omittingEmptySubsequences: false
            ).map(String.init)
            guard fields.count == 5, let offset = Int(fields[1]), let count = Int(fields[2]) else {
                throw Sweep.Failure("not a trace: \(fields)")
            }
            let data = bytes[(end + 1)..<(end + 1 + count)]
            take(fields[0], offset, data, fields[3], fields[4])
            place = end + 1 + (count > 0 ? count + 1 : 0)
        }
    }

    private mutating func scan(_ path: String, _ folder: Int) throws {
        for entry in try Disk.list(path) {
            let item = next
            next += 1
            folders[folder]?[entry.name] = item
            if entry.kind == .directory {
                folders[item] = [:]
                try scan(FilePath.join(path, entry.name), item)
            } else {
                files[item] = try Disk.read(FilePath.join(path, entry.name), limit: 1 << 30)
            }
        }
    }

    private mutating func take(
        _ event: String, _ offset: Int, _ data: ArraySlice<UInt8>, _ path: String, _ path2: String
    ) {
        let change: Change? =
            switch event {
            case "said": .said(String(decoding: data, as: UTF8.self))
            case "write": find(path).map { .write(file: $0, offset: offset, bytes: data) }
            case "truncate": find(path).map { .truncate(file: $0, size: offset) }
            case "sync": find(path).map { .synchronize(item: $0) }
            case "create": make(path, isFolder: false)
            case "mkdir": make(path, isFolder: true)
            case "unlink": remove(path)
            // Calls are noted before they are done: that for a folder with something in it fails.
            case "rmdir": isEmpty(path) ? remove(path) : nil
            case "rename": move(path, path2)
            case "exchange": exchange(path, path2)
            default: nil
            }
        guard let change else { return }
        if case .names(let names) = change { for name in names { now[name.folder]?[name.name] = name.item } }
        steps.append(Step(change: change, description: "\(event) \(path.dropFirst(top.count))"))
    }

    private mutating func make(_ path: String, isFolder: Bool) -> Change? {
        guard let place = place(of: path), now[place.folder]?[place.name] == nil else { return nil }
        let item = next
        next += 1
        if isFolder {
            now[item] = [:]
            folders[item] = [:]
        } else {
            files[item] = []
        }
        return .names([(place.folder, place.name, item)])
    }

    private func remove(_ path: String) -> Change? { place(of: path).map { .names([($0.folder, $0.name, nil)]) } }

    private func isEmpty(_ path: String) -> Bool { find(path).flatMap { now[$0] }?.isEmpty == true }

    private func move(_ old: String, _ new: String) -> Change? {
        guard let from = place(of: old), let to = place(of: new), let item = find(old) else { return nil }
        return .names([(from.folder, from.name, nil), (to.folder, to.name, item)])
    }

    private func exchange(_ one: String, _ other: String) -> Change? {
        guard let from = place(of: one), let to = place(of: other), let first = find(one), let second = find(other)
        else { return nil }
        return .names([(from.folder, from.name, second), (to.folder, to.name, first)])
    }

    private func place(of path: String) -> (folder: Int, name: String)? {
        find(FilePath.parent(path)).map { ($0, FilePath.name(path)) }
    }

    private func find(_ path: String) -> Int? {
        var item = Self.root
        for part in path.dropFirst(top.count).split(separator: "/") where part != "." {
            guard let next = now[item]?[String(part)] else { return nil }
            item = next
        }
        return item
    }
}
