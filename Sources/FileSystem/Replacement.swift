internal import Glibc

/// Replaces a document atomically: the new version is built beside the old one and exchanged in one
/// step, or in two steps from which a crash can be recovered.
///
///     let replacement = Replacement(of: "Name.folio")
///     … build the folder or file at replacement.temporary …
///     try Disk.synchronizeTree(replacement.temporary)
///     try replacement.commit(expecting: identity)
///     try Disk.removeTree(replacement.temporary)   // the old version, if there was one
///
/// Invariants:
/// 1. `temporary` and `displaced` have the same ID, and are siblings of the target.
/// 2. `displaced` exists only after `temporary` was complete and durable. If both exist, recovery
///    may finish the replacement.
/// 3. The target is missing only while `displaced` exists.
package struct Replacement: Sendable, Hashable {
    package let target: String
    package let id: String

    package init(of target: String, id: String = UniqueName.make()) {
        self.target = target
        self.id = id
    }

    /// The path at which the new version is built. After `commit` the old version is here, if there
    /// was one.
    package var temporary: String { FilePath.sibling(of: target, tag: "tmp", id: id) }

    /// The path of the old version between the two renames of the fallback.
    package var displaced: String { FilePath.sibling(of: target, tag: "old", id: id) }

    /// Replaces the target with the new version, which must be durable already
    /// (`Disk.synchronizeTree`). The caller holds the document's lock.
    ///
    /// `expected` is the identity that the target had when it was opened; nil if there was no
    /// target. Throws `.changed` (or `.exists`) if this is no longer true. Only device and inode
    /// are compared, because size and time of a folder change with its contents. If the folder
    /// can't be synchronized, the old version is restored.
    package func commit(expecting expected: FileIdentity?) throws {
        let parent = FilePath.parent(target)
        guard let expected else {
            try Disk.renameWithoutReplacing(temporary, to: target)
            do {
                return try Disk.synchronizeDirectory(parent)
            } catch {
                // A failed call must have no effect.
                if (try? Disk.renameWithoutReplacing(target, to: temporary)) != nil {
                    try? Disk.synchronizeDirectory(parent)
                }
                throw error
            }
        }
        guard let current = try Disk.identity(of: target), current.isSameFile(as: expected) else {
            throw FileSystemError(
                .changed, operation: "replace", path: target, detail: "no longer the item that was opened")
        }
        do {
            try Disk.exchange(temporary, target)
        } catch let error as FileSystemError where Disk.refusesFlags(error) {
            return try commitInTwoSteps(parent)
        }
        do {
            try Disk.synchronizeDirectory(parent)
        } catch {
            // A failed call must have no effect.
            if (try? Disk.exchange(temporary, target)) != nil { try? Disk.synchronizeDirectory(parent) }
            throw error
        }
    }

    private func commitInTwoSteps(_ parent: String) throws {
        try Disk.rename(target, to: displaced)
        do {
            try Disk.synchronizeDirectory(parent)
            try Disk.rename(temporary, to: target)
        } catch {
            try? Disk.rename(displaced, to: target)
            throw error
        }
        try Disk.synchronizeDirectory(parent)
        // The old version gets the temporary name, like after an exchange.
        try Disk.rename(displaced, to: temporary)
        try Disk.synchronizeDirectory(parent)
    }

    /// The result of recovering an interrupted replacement.
    package enum Recovery: Sendable, Hashable {
        /// The target needed no recovery.
        case none
        /// The new version was put in place.
        case finished
        /// The old version was restored.
        case undone
    }

    /// Whether the target is missing because of a crash between the two renames of the fallback.
    package static func isInterrupted(_ target: String) throws -> Bool {
        guard try !Disk.exists(target), try Disk.kind(of: FilePath.parent(target)) == .directory else { return false }
        return try Disk.names(in: FilePath.parent(target), where: isCandidate).contains {
            id(in: $0, of: target, tag: "old") != nil
        }
    }

    /// Finishes or undoes an interrupted replacement of `target`. Returns the leftover paths, which
    /// the caller removes while it holds the document's lock.
    ///
    /// Call it while holding the lock: the `temporary` of another process that is building a
    /// replacement looks like a leftover.
    package static func recover(_ target: String) throws -> (recovery: Recovery, leftovers: [String]) {
        let parent = FilePath.parent(target)
        let names = try Disk.names(in: parent, where: isCandidate).sorted()
        let old = names.compactMap { id(in: $0, of: target, tag: "old") }
        let new = names.compactMap { id(in: $0, of: target, tag: "tmp") }
        var recovery = Recovery.none
        if let id = old.first, try !Disk.exists(target) {
            let replacement = Replacement(of: target, id: id)
            let finishes = new.contains(id)
            try Disk.renameWithoutReplacing(finishes ? replacement.temporary : replacement.displaced, to: target)
            try Disk.synchronizeDirectory(parent)
            recovery = finishes ? .finished : .undone
        }
        let candidates =
            old.map { Replacement(of: target, id: $0).displaced }
            + new.map { Replacement(of: target, id: $0).temporary }
        return (recovery, try candidates.filter { try Disk.exists($0) })
    }

    /// A fast check whether a name may belong to a replacement. The folder of a document may have
    /// very many other entries.
    private static func isCandidate(_ name: UnsafeRawBufferPointer) -> Bool {
        let tag = name.count - UniqueName.length - 5
        return tag > 0 && name[0] == UInt8(ascii: ".") && name[tag] == UInt8(ascii: ".")
            && name[tag + 4] == UInt8(ascii: "-")
    }

    private static func id(in name: String, of target: String, tag: String) -> String? {
        guard let start = name.utf8.index(name.endIndex, offsetBy: -UniqueName.length, limitedBy: name.startIndex)
        else { return nil }
        let id = name[start...]
        guard name[..<start].hasSuffix(".\(tag)-"), UniqueName.isOne(id) else { return nil }
        // The whole name is compared, because the target's name may have been truncated. Bytes are
        // compared, because canonically equivalent names are different files.
        return FilePath.name(FilePath.sibling(of: target, tag: tag, id: String(id))).utf8.elementsEqual(name.utf8)
            ? String(id) : nil
    }
}
