package import Foundation
internal import Storage

/// The list of conflicts of merges. Its file is put into place after the commit of a save; for a
/// crash in between, the commit has the list in the metadata of the store, and the save that finds
/// both equal takes it out of there.
extension DocumentSession {
    /// The key in the metadata of the store. Its value is the list as in the file, empty for none.
    package static let conflictListKey = "FolioConflicts"

    private var notedConflictList: Data? {
        get throws {
            // The store of a package has the list also where it is opened by itself.
            guard case .data(let list)? = try store.metadata()[Self.conflictListKey] else { return nil }
            return list
        }
    }

    /// The list of conflicts as of the last commit; nil for none.
    package func conflictList() throws -> Data? {
        if let noted = try notedConflictList { return noted.isEmpty ? nil : noted }
        return marker == nil ? nil : try part(PackageLayout.conflicts, in: PackageLayout.extra)
    }

    /// The parts of a save with what the metadata have of the list of conflicts: that is removed if
    /// the file has it, and put into the file if a crash kept it from that.
    package func withNotedConflictList(_ parts: CapturedParts) throws -> CapturedParts {
        guard marker != nil, !parts.metadata.keys.contains(Self.conflictListKey), let noted = try notedConflictList
        else {
            return parts
        }
        let list = noted.isEmpty ? nil : noted
        var parts = parts, isInPlace = false
        // A file that can't be read is written again.
        do { isInPlace = try part(PackageLayout.conflicts, in: PackageLayout.extra) == list } catch {}
        if isInPlace {
            parts.metadata.updateValue(nil, forKey: Self.conflictListKey)
        } else if workingSet == nil || place.archive != nil {
            parts.extra.append(ExtraFile(PackageLayout.conflicts) { list })
        }
        return parts
    }
}
