import FileSystem
import Foundation

/// The states in which a power cut may leave the files of a trace, as POSIX has it: what was
/// synchronized is there; of the rest, any part may be there or not, in any order, and writes may
/// be torn. Names that change in one call change together.
struct CrashStates {
    let trace: Trace
    /// The steps that are taken out: synchronizations or renamings that the operation is tried
    /// without.
    var omitted: Set<Int> = []

    struct State {
        /// Folders and files by their paths, from the top; nil for a folder.
        var items: [String: [UInt8]?] = [:]
        /// What the operation had said by then.
        var lines: [String] = []
        var description = ""

        /// Equal for states that can't be told apart.
        var key: Int {
            var hasher = Hasher()
            for (path, bytes) in items.sorted(by: { $0.key < $1.key }) where !path.hasSuffix("-shm") {
                hasher.combine(path)
                bytes?.withUnsafeBytes { hasher.combine(bytes: $0) }
            }
            hasher.combine(lines)
            return hasher.finalize()
        }
    }

    /// How one write comes out.
    private enum Torn { case half, zeros }

    /// Calls `body` with every state at every moment.
    func forEach(_ body: (State) throws -> Bool) rethrows {
        for end in 0...trace.steps.count {
            // What a step changes shows before the next one; what was only said or synchronized
            // changes what may be lost.
            let loose = unsynchronized(before: end)
            var choices: [(lost: Set<Int>, torn: [Int: Torn], what: String)] = [
                ([], [:], "everything"), (Set(loose), [:], "nothing unsynchronized"),
            ]
            for step in loose {
                choices.append(([step], [:], "all but \(trace.steps[step].description)"))
                choices.append((Set(loose).subtracting([step]), [:], "only \(trace.steps[step].description)"))
            }
            let writes = Dictionary(grouping: loose.filter { isWrite($0) }) { file(of: $0) }
            for (_, steps) in writes.sorted(by: { $0.key < $1.key }) {
                choices.append((Set(steps), [:], "no bytes of \(trace.steps[steps[0]].description)"))
                choices.append(
                    (
                        [], Dictionary(uniqueKeysWithValues: steps.map { ($0, .zeros) }),
                        "zeros for \(trace.steps[steps[0]].description)"
                    ))
                if let last = steps.last {
                    choices.append(([], [last: .half], "half of \(trace.steps[last].description)"))
                }
            }
            for choice in choices {
                var state = build(end, lost: choice.lost, torn: choice.torn)
                state.description =
                    "after \(end) steps\(end > 0 ? " (\(trace.steps[end - 1].description))" : ""), \(choice.what)"
                if try !body(state) { return }
            }
        }
    }

    /// The steps before `end` that no synchronization has made durable.
    private func unsynchronized(before end: Int) -> [Int] {
        var loose: [Int] = []
        for index in 0..<end where !omitted.contains(index) {
            switch trace.steps[index].change {
            case .synchronize(let item): loose.removeAll { owner(of: $0) == item }
            case .said: break
            case .write, .truncate, .names: loose.append(index)
            }
        }
        return loose
    }

    /// The file or folder whose synchronization makes a step durable.
    private func owner(of step: Int) -> Int? {
        switch trace.steps[step].change {
        case .write(let file, _, _), .truncate(let file, _): file
        case .names(let names): names.last?.folder
        case .synchronize, .said: nil
        }
    }

    private func isWrite(_ step: Int) -> Bool {
        if case .write = trace.steps[step].change { true } else { false }
    }

    private func file(of step: Int) -> Int { owner(of: step) ?? -1 }

    private func build(_ end: Int, lost: Set<Int>, torn: [Int: Torn]) -> State {
        var files = trace.files, folders = trace.folders
        var state = State()
        for index in 0..<end {
            if case .said(let text) = trace.steps[index].change {
                state.lines += text.split(separator: "\n").map(String.init)
            }
            if lost.contains(index) || omitted.contains(index) { continue }
            switch trace.steps[index].change {
            case .write(let file, let offset, let bytes):
                let kept = torn[index] == .half ? bytes.prefix(bytes.count / 2) : bytes
                Self.resize(&files[file, default: []], to: max(files[file]?.count ?? 0, offset + kept.count))
                if torn[index] == .zeros { continue }
                files[file]?.withUnsafeMutableBytes { target in
                    kept.withUnsafeBytes {
                        UnsafeMutableRawBufferPointer(rebasing: target[offset..<(offset + kept.count)]).copyMemory(
                            from: $0)
                    }
                }
            case .truncate(let file, let size):
                Self.resize(&files[file, default: []], to: size)
            case .names(let names):
                for name in names { folders[name.folder]?[name.name] = name.item }
            case .synchronize, .said: break
            }
        }
        collect(Trace.root, "", files, folders, &state, depth: 0)
        return state
    }

    private static func resize(_ bytes: inout [UInt8], to size: Int) {
        if bytes.count > size {
            bytes.removeLast(bytes.count - size)
        } else {
            bytes += [UInt8](repeating: 0, count: size - bytes.count)
        }
    }

    private func collect(
        _ folder: Int, _ prefix: String, _ files: [Int: [UInt8]], _ folders: [Int: [String: Int]], _ state: inout State,
        depth: Int
    ) {
        // Names that came to the disk in another order may lead in circles, which no file system
        // has.
        guard depth < 16 else { return }
        for (name, item) in folders[folder] ?? [:] {
            let path = prefix + name
            if let bytes = files[item] {
                state.items[path] = bytes
            } else {
                state.items[path] = .some(nil)
                collect(item, path + "/", files, folders, &state, depth: depth + 1)
            }
        }
    }
}

extension CrashStates.State {
    /// Makes the files and folders of the state on the disk.
    func write(to top: String) throws {
        try Disk.removeTree(top)
        try Disk.makeDirectory(top)
        for (path, bytes) in items.sorted(by: { $0.key < $1.key }) {
            let path = FilePath.join(top, path)
            if let bytes {
                let file = try File(path, .create())
                try file.append(bytes)
                file.close()
            } else {
                try Disk.makeDirectory(path)
            }
        }
    }
}
