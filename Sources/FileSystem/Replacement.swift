internal import Glibc

/// A new form of a document, built aside and then put in the place of the old one in one step (or
/// two that a crash can't spoil).
///
///     let replacement = Replacement(of: "Name.folio")
///     … build the folder or file at replacement.temporary …
///     try Disk.synchronizeTree(replacement.temporary)
///     try replacement.commit(expecting: identity)
///     try Disk.removeTree(replacement.temporary)   // the old form, if there was one
///
/// Invariants:
/// 1. `temporary` and `displaced` carry the same id, and are siblings of the target.
/// 2. `displaced` exists only after `temporary` was complete and durable: whoever finds the pair
///    may finish the step.
/// 3. The target is missing only while `displaced` exists.
package struct Replacement: Sendable, Hashable {
    package let target: String
    package let id: String

    package init(of target: String, id: String = UniqueName.make()) {
        self.target = target
        self.id = id
    }

    /// Where the new form is built. After `commit` the old form stands here, if there was one.
    package var temporary: String { FilePath.sibling(of: target, tag: "tmp", id: id) }

    /// Where the old form stands between the two renames of the fallback.
    package var displaced: String { FilePath.sibling(of: target, tag: "old", id: id) }

    /// Puts the new form in place; it must be durable already (`Disk.synchronizeTree`). The caller
    /// holds the document's lock.
    ///
    /// `expected` is the identity the target had when it was opened, nil where there was no target;
    /// throws `.changed` (or `.exists`) where that no longer holds. Size and time of a folder
    /// change with what is in it, so only device and inode count. Where the folder can't be
    /// synchronized, the old form is put back.
    package func commit(expecting expected: FileIdentity?) throws {
        let parent = FilePath.parent(target)
        guard let expected else {
            try Disk.renameWithoutReplacing(temporary, to: target)
            do {
                return try Disk.synchronizeDirectory(parent)
            } catch {
                // What is refused must not be found done.
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
            // What is refused must not be found done.
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
        // As after an exchange, the old form takes the name of the new one.
        try Disk.rename(displaced, to: temporary)
        try Disk.synchronizeDirectory(parent)
    }

    /// What was done about an exchange that a crash interrupted.
    package enum Recovery: Sendable, Hashable {
        /// Nothing had to be done to the target.
        case none
        /// The new form was put in place.
        case finished
        /// The old form was put back.
        case undone
    }

    /// Whether the target is missing because a crash came between the two renames of the fallback.
    package static func isInterrupted(_ target: String) throws -> Bool {
        guard try !Disk.exists(target), try Disk.kind(of: FilePath.parent(target)) == .directory else { return false }
        return try Disk.names(in: FilePath.parent(target), where: isCandidate).contains {
            id(in: $0, of: target, tag: "old") != nil
        }
    }

    /// Finishes or undoes what a crash left of replacing `target`, and names the leftovers, which
    /// the caller removes once it holds the document's lock.
    ///
    /// Call it under the lock: another process that is building a replacement just now has a
    /// `temporary` that looks like a leftover.
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

    /// Whether a name may be one of a replacement, by a glance at its bytes: the folder that a
    /// document lies in may have very many others.
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
        // Compared as a whole, since a long name was cut to fit; and by bytes, since names that
        // read the same may be two to the system.
        return FilePath.name(FilePath.sibling(of: target, tag: tag, id: String(id))).utf8.elementsEqual(name.utf8)
            ? String(id) : nil
    }
}
